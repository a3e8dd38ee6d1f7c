import Interleavings
import Synchronization
import WorkerPool

/// A lane's messages, and whether its leader sleeps: one atomic word, so that the two can never be seen apart.
///
/// The word is empty, or *sleeping*, or the newest message of a chain. Any thread pushes; the leader takes all at once.
final class Inbox: Sendable {
  private static let empty: UInt = 0
  private static let sleeping: UInt = 1  // no object has this address
  private let word = Atomic<UInt>(Inbox.empty)

  /// Adds a message; the inbox keeps a reference to it until it is taken. True: the leader sleeps, and the caller must wake it.
  ///
  /// Release: what the caller wrote into the message is seen by the leader that takes it.
  func push(_ message: WorkItem) -> Bool {
    let pointer = UInt(bitPattern: Unmanaged.passRetained(message).toOpaque())
    var head = word.load(ordering: .relaxed)
    while true {
      message.nextInInbox = Inbox.item(head)
      let (exchanged, original) = word.weakCompareExchange(
        expected: head, desired: pointer, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if exchanged { return head == Inbox.sleeping }
      head = original
    }
  }

  /// Leader: takes every message, oldest first, and wakes up. The look beforehand saves the exchange where there is nothing.
  func take(_ body: (WorkItem) -> Void) {
    if word.load(ordering: .relaxed) == Inbox.empty { return }
    var newest = Inbox.item(word.exchange(Inbox.empty, ordering: .acquiring))
    var oldest: Unmanaged<WorkItem>?
    while let message = newest {
      message._withUnsafeGuaranteedRef {
        newest = $0.nextInInbox
        $0.nextInInbox = oldest
      }
      oldest = message
    }
    while let message = oldest {
      let item = message.takeRetainedValue()
      oldest = item.nextInInbox
      item.nextInInbox = nil
      body(item)
    }
  }

  /// Leader: marks itself as asleep, unless there is a message.
  func prepareToSleep() -> Bool {
    if Interleaving.isWrong(.looksThenSleeps) {
      guard word.load(ordering: .acquiring) == Inbox.empty else { return false }
      Interleaving.reach(.betweenTwoSteps)
      word.store(Inbox.sleeping, ordering: .releasing)
      return true
    }
    if Interleaving.isWrong(.sleepsUnseen) { return true }
    return word.compareExchange(
      expected: Inbox.empty, desired: Inbox.sleeping, successOrdering: .acquiringAndReleasing,
      failureOrdering: .relaxed
    ).exchanged
  }

  private static func item(_ word: UInt) -> Unmanaged<WorkItem>? {
    guard word > sleeping, let pointer = UnsafeRawPointer(bitPattern: word) else { return nil }
    return Unmanaged.fromOpaque(pointer)
  }

  deinit { take { _ in } }
}
