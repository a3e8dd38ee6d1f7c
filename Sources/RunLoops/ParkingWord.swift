import CPlatform
import Synchronization

/// The one word that decides whether a run loop may sleep, and who owes it a wake-up.
///
/// All that may call a sleeping loop sets a bit in it, the loop goes to sleep by a compare-and-swap on it,
/// and the futex compares it once more: so no wake-up can fall between looking and sleeping, and
/// acquire/release is enough. It has memory of its own because the futex needs an address that does not move.
/// May be used from any thread.
struct ParkingWord: @unchecked Sendable {
  // Unchecked: a constant pointer to an atomic; the owner (`Mailbox`) frees it when nobody holds it any more.
  private let atomic: UnsafeMutablePointer<Atomic<UInt32>>

  /// Something is in the mailbox, or `stop` or `wakeUp` was called.
  static let message: UInt32 = 1
  /// The driver's owner has called this loop.
  static let token: UInt32 = 2
  /// The loop sleeps on this word, or is about to or was just now.
  static let parkedOnFutex: UInt32 = 4
  /// The loop sleeps in its own epoll set, or is about to or was just now.
  static let parkedInEpoll: UInt32 = 8
  /// The loop waits in a descriptor of its driver.
  static let polling: UInt32 = 16

  static let parked = parkedOnFutex | parkedInEpoll

  init() {
    atomic = .allocate(capacity: 1)
    atomic.initialize(to: Atomic(0))
  }

  func deallocate() {
    atomic.deinitialize(count: 1)
    atomic.deallocate()
  }

  /// What the word holds, with no ordering: enough to see that there is nothing to do.
  @inline(__always) var glance: UInt32 { atomic.pointee.load(ordering: .relaxed) }

  /// Sets bits; returns what the word held before.
  func set(_ bits: UInt32) -> UInt32 {
    atomic.pointee.bitwiseOr(bits, ordering: .acquiringAndReleasing).oldValue
  }

  /// Clears bits; returns what the word held before.
  @discardableResult func clear(_ bits: UInt32) -> UInt32 {
    atomic.pointee.bitwiseAnd(~bits, ordering: .acquiringAndReleasing).oldValue
  }

  /// Puts `mark` into an empty word. False: the word is not empty.
  func claim(_ mark: UInt32) -> Bool {
    atomic.pointee.compareExchange(expected: 0, desired: mark, ordering: .acquiringAndReleasing).exchanged
  }

  /// Adds `mark` to a word without a message; returns what the word then holds, or nil if there is a message.
  ///
  /// Unlike ``claim(_:)`` it bears a token: a nested run without the driver cannot consume one, and must
  /// neither lose it nor spin on it.
  func claimUnlessMessage(_ mark: UInt32) -> UInt32? {
    var seen = glance
    while seen & ParkingWord.message == 0 {
      let (exchanged, original) = atomic.pointee.compareExchange(
        expected: seen, desired: seen | mark, ordering: .acquiringAndReleasing)
      if exchanged { return seen | mark }
      seen = original
    }
    return nil
  }

  /// Sleeps while the word is `expected`, at most `nanoseconds` (negative: for ever). Returns an error number
  /// as futex does.
  func sleep(while expected: UInt32, nanoseconds: Int64) -> Int32 {
    heddle_futex_wait(futex, expected, nanoseconds)
  }

  /// Wakes who sleeps on the word.
  func wake() { _ = heddle_futex_wake(futex, 1) }

  /// The same four bytes, for the kernel.
  private var futex: UnsafeMutablePointer<UInt32> {
    UnsafeMutableRawPointer(atomic).assumingMemoryBound(to: UInt32.self)
  }
}
