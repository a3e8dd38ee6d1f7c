import CPlatform
import Glibc
import Locks
import Synchronization

/// What other threads hold of a run loop: its messages, its parking word, and the means to wake it.
///
/// It outlives the loop for as long as somebody may still pay a wake-up, so that a late one never touches
/// freed memory or a closed descriptor. May be used from any thread.
///
/// Sending: put the message in under the lock, *then* set the message bit, then pay if the loop is marked as
/// asleep. Receiving: clear the bit, *then* take the messages. Whichever way the two interleave, either the
/// message is taken or the bit is set again.
final class Mailbox: @unchecked Sendable {
  // Unchecked: `testHook` alone is neither constant nor guarded; tests set it before they share the loop.

  /// One thing for the loop's thread to do.
  enum Message: Sendable {
    case perform(Perform)
    case signal(CustomSource)
    /// A change to what the loop watches. Runs our own code only.
    case change(@Sendable (ThreadRunLoop) -> Void)
  }

  private struct Contents {
    var messages: [Message] = []
    /// The descriptor to write to while the loop polls its driver's; -1: none.
    var pollWakeDescriptor: Int32 = -1
    var hasEnded = false
  }

  let word = ParkingWord()
  private let contents = Locked("run-loop.mailbox", Contents())
  private let stopRequested = Atomic<Bool>(false)
  /// The eventfd in the loop's own epoll sets, -1 until the first of them is made. The mailbox closes it.
  private let eventDescriptor = Atomic<Int32>(-1)

  var testHook: (@Sendable (RunLoopTestPoint) -> Void)?

  deinit {
    let descriptor = eventDescriptor.load(ordering: .relaxed)
    if descriptor >= 0 { close(descriptor) }
    word.deallocate()
  }

  // MARK: Any thread

  /// Puts a message in and wakes the loop if it sleeps. False: the loop has ended, the message was not taken.
  @discardableResult func post(_ message: Message) -> Bool {
    let taken = contents.withLock { contents in
      if contents.hasEnded { return false }
      contents.messages.append(message)
      return true
    }
    if taken { announce() }
    return taken
  }

  func requestStop() {
    stopRequested.store(true, ordering: .releasing)
    announce()
  }

  /// Sets the message bit, and pays the wake-up that is due.
  ///
  /// One that sees a message bit pays nothing, because who set it does. A token does not count here, though
  /// who set it pays too: a nested run without the driver sleeps over tokens.
  func announce() {
    testHook?(.beforeMessageBit)
    let old = word.set(ParkingWord.message)
    if old & ParkingWord.message == 0 { wake(old) }
  }

  /// Makes the system call that wakes a loop whose word held `bits`.
  func wake(_ bits: UInt32) {
    if bits & ParkingWord.parkedOnFutex != 0 {
      word.wake()
    } else if bits & ParkingWord.parkedInEpoll != 0 {
      signalEvent()
    } else if bits & ParkingWord.polling != 0 {
      // Written with the lock held: once the driver has changed the descriptor nobody writes to the old one.
      contents.withLock { contents in
        if contents.pollWakeDescriptor >= 0 {
          heddle_eventfd_signal(contents.pollWakeDescriptor)
        } else {
          signalEvent()
        }
      }
    }
  }

  private func signalEvent() {
    let descriptor = eventDescriptor.load(ordering: .acquiring)
    if descriptor >= 0 { heddle_eventfd_signal(descriptor) }
  }

  // MARK: The loop's thread

  /// Clears the message bit and moves the messages into `messages`, which must be empty.
  func take(into messages: inout [Message]) {
    word.clear(ParkingWord.message)
    testHook?(.whileTakingMessages)
    // Swapped, so that neither side allocates in the long run.
    contents.withLock { swap(&$0.messages, &messages) }
  }

  /// Whether `stop` was asked for since the last call.
  func takeStop() -> Bool {
    guard stopRequested.load(ordering: .relaxed) else { return false }
    return stopRequested.exchange(false, ordering: .acquiringAndReleasing)
  }

  func setPollWakeDescriptor(_ descriptor: Int32) {
    contents.withLock { $0.pollWakeDescriptor = descriptor }
  }

  /// The eventfd for the loop's epoll sets, made at first use; a negative error number if there is none to be
  /// had.
  func makeEventDescriptor() -> Int32 {
    let existing = eventDescriptor.load(ordering: .relaxed)
    if existing >= 0 { return existing }
    let made = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    if made < 0 { return -errno }
    eventDescriptor.store(made, ordering: .releasing)
    return made
  }

  /// Takes no further message; returns those that nobody will handle.
  func end() -> [Message] {
    contents.withLock { contents in
      contents.hasEnded = true
      contents.pollWakeDescriptor = -1
      let left = contents.messages
      contents.messages = []
      return left
    }
  }
}
