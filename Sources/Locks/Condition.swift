import CPlatform
import Synchronization

/// A condition variable: lets threads wait, with a lock released meanwhile, until another thread says that something changed.
///
/// A wait may end without a signal, so always wait in a loop that tests what is waited for. Its time is no contention: the
/// statistics count the waits of a condition and show who waits, but leave its wait times at zero.
public final class Condition: @unchecked Sendable {
  // Unchecked: as in `Lock`.
  let condition: PthreadCondition
  let instruments: UnsafeMutablePointer<LockInstruments>

  /// The lock that must be held around ``wait()`` and is released while it lasts. May be read from any thread.
  public let lock: Lock

  /// Makes a condition. May be called from any thread.
  /// - Parameters:
  ///   - name: stands in the statistics, as a lock's name does; see ``Lock/init(_:)``
  ///   - lock: the lock that guards what is waited for; kept alive by the condition
  public init(_ name: String, lock: Lock) {
    self.lock = lock
    instruments = LockInstruments.allocate(
      name: name, kind: .condition, primitiveSize: PthreadCondition.size)
    condition = PthreadCondition(at: LockInstruments.primitive(of: instruments, size: PthreadCondition.size))
  }

  deinit {
    condition.destroy()
    LockInstruments.deallocate(instruments, primitiveSize: PthreadCondition.size)
  }

  /// The name that was given. May be called from any thread.
  public var name: String { instruments.pointee.row.name }

  /// Releases the lock, waits for a signal, takes the lock again. The calling thread must hold the lock: otherwise the
  /// process ends with a message. May return without a signal.
  public func wait() { _ = wait(until: .distantFuture) }

  /// As ``wait()``, and gives up when the deadline has passed. The lock is held again in either case.
  /// - Returns: false if the deadline passed.
  public func wait(until deadline: Deadline) -> Bool {
    guard lock.isHeldByCurrentThread else {
      fatalError("Condition \"\(name)\" is waited for without its lock \"\(lock.name)\"")
    }
    let record = ThreadRecord.current
    record.settle(lock.instruments)
    LockInstruments.beginWaiting(for: instruments, record: record, since: heddle_now())
    lock.willReleaseToWait()
    let signalled = condition.wait(releasing: lock.mutex, until: deadline)
    lock.instruments.pointee.didAcquireAtOnce()
    instruments.pointee.endWaiting(record: record)
    // The condition's own counter is written under its lock, so a load and a store suffice.
    let waits = instruments.pointee.acquisitions.load(ordering: .relaxed) &+ 1
    instruments.pointee.acquisitions.store(waits, ordering: .relaxed)
    if !signalled { instruments.pointee.row.didTimeOut() }
    return signalled
  }

  /// Wakes one of the waiting threads, if there is one. May be called from any thread, with or without the lock.
  public func signal() { condition.signal() }

  /// Wakes all waiting threads. May be called from any thread, with or without the lock.
  public func broadcast() { condition.broadcast() }
}
