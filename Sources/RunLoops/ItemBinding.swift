import Locks
import Synchronization

/// What a source, a timer and an observer have in common: whether it is valid, and which loop it belongs to.
///
/// An item knows its loop's mailbox, not the loop, so that neither keeps the other alive. May be used from
/// any thread.
final class ItemBinding: Sendable {
  private let valid = Atomic<Bool>(true)
  private let mailbox = Locked<Mailbox?>("run-loop.item", nil)

  var isValid: Bool { valid.load(ordering: .acquiring) }

  /// Makes the item invalid; true for the call that did it.
  func invalidate() -> Bool { valid.exchange(false, ordering: .acquiringAndReleasing) }

  /// Says which loop the item belongs to. To move to another loop it must first be removed from the old one.
  func attach(to new: Mailbox) {
    let old = mailbox.withLock { mailbox in
      let old = mailbox
      mailbox = new
      return old
    }
    precondition(
      old == nil || old === new, "A source, timer or observer is added to a run loop while it belongs to another")
  }

  /// Forgets the loop, if it is this one.
  func detach(from old: Mailbox) {
    mailbox.withLock { if $0 === old { $0 = nil } }
  }

  /// Sends a message to the item's loop, if it has one.
  func post(_ message: Mailbox.Message) { mailbox.withLock { $0 }?.post(message) }

  /// Runs a change on the item's loop: at once if that is the caller's own, else as a message.
  func change(_ body: @escaping @Sendable (ThreadRunLoop) -> Void) {
    guard let mailbox = mailbox.withLock({ $0 }) else { return }
    if let loop = ThreadRunLoop.currentIfMade, loop.mailbox === mailbox {
      body(loop)
    } else {
      mailbox.post(.change(body))
    }
  }
}
