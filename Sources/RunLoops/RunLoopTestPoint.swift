/// The places where a test can hold a thread, to force an interleaving that is rare by itself.
package enum RunLoopTestPoint: Hashable, Sendable {
  /// Loop's thread: the mailbox was looked at, the loop is not yet marked as parked.
  case beforeParkCommit
  /// Loop's thread: between clearing the message bit and taking the messages.
  case whileTakingMessages
  /// Sender's thread: the message is in the mailbox, its bit not yet in the word.
  case beforeMessageBit
  /// Loop's thread: about to read the clock and to sleep.
  case beforeWait
  /// Loop's thread: woken, the mark as parked still there.
  case afterWait
}
