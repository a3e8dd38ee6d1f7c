import CPlatform
import Synchronization

/// A mutual exclusion lock with a name, whose use is counted.
///
/// Not recursive: locking it twice on one thread ends the process with a message that names the lock, rather than to hang
/// in silence. Not fair: who asks first need not get it first. Between what one thread does before it unlocks and what
/// another does after it locks there is a happens-before relation.
///
/// A lock must be unlocked by the thread that locked it, and must not be held when the last reference to it goes away.
/// A free lock costs a few nanoseconds more than the bare mutex; only who has to wait reads the clock.
public final class Lock: @unchecked Sendable {
  // Unchecked: both properties are constant pointers into one block of memory that lives as long as the object. The
  // mutex may be used by any thread; `LockInstruments` holds atomics, and what is not atomic is the registry's.
  let mutex: PthreadMutex
  let instruments: UnsafeMutablePointer<LockInstruments>

  /// Makes a free lock. May be called from any thread.
  /// - Parameter name: stands in the statistics, the metrics and the messages. Locks of one name are one row there, with
  ///   the number of instances: name them after their purpose ("pool.queue"), not after the instance.
  public init(_ name: String) {
    instruments = LockInstruments.allocate(name: name, kind: .mutex, primitiveSize: PthreadMutex.size)
    mutex = PthreadMutex(at: LockInstruments.primitive(of: instruments, size: PthreadMutex.size))
  }

  deinit {
    if isHeldByCurrentThread { fatalError("Lock \"\(name)\" is deallocated while it is held") }
    if instruments.pointee.owner.load(ordering: .relaxed) != 0 {
      // A thread that holds it for ever: one that trapped and was set aside. Others must not suffer, so the memory stays.
      registry.unregister(instruments)
      return
    }
    mutex.destroy()
    LockInstruments.deallocate(instruments, primitiveSize: PthreadMutex.size)
  }

  /// The name that was given. May be called from any thread.
  public var name: String { instruments.pointee.row.name }

  /// Locks; waits as long as another thread holds the lock. May be called from any thread that does not hold it.
  public func lock() {
    if mutex.tryLock() {
      instruments.pointee.didAcquireAtOnce()
    } else {
      _ = lockAfterWaiting(before: .distantFuture)
    }
  }

  /// Unlocks. May be called only by the thread that locked.
  public func unlock() {
    let since = instruments.pointee.heldSince.load(ordering: .relaxed)
    if since == 0 {
      instruments.pointee.owner.store(0, ordering: .relaxed)
      mutex.unlock()
    } else {
      unlockAndAccount(since: since)
    }
  }

  /// Locks if the lock is free, without waiting. May be called from any thread.
  /// - Returns: whether the lock was taken. False also where the calling thread itself holds it.
  public func tryLock() -> Bool {
    guard mutex.tryLock() else {
      instruments.pointee.row.didFailToTry()
      return false
    }
    instruments.pointee.didAcquireAtOnce()
    return true
  }

  /// Locks; gives up when the deadline has passed. A free lock is taken whatever the deadline.
  /// May be called from any thread that does not hold the lock.
  /// - Returns: whether the lock was taken.
  public func lock(before deadline: Deadline) -> Bool {
    if mutex.tryLock() {
      instruments.pointee.didAcquireAtOnce()
      return true
    }
    return lockAfterWaiting(before: deadline)
  }

  /// Locks, calls `body`, unlocks, and returns what `body` returned or throws what it threw: the normal form.
  /// May be called from any thread that does not hold the lock.
  @inlinable
  public func withLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }

  /// Whether the calling thread holds the lock.
  package var isHeldByCurrentThread: Bool {
    instruments.pointee.owner.load(ordering: .relaxed) == heddle_tid()
  }

  /// States, in debug builds, that the calling thread holds the lock: for functions that rely on their caller's lock.
  package func assertHeld() {
    assert(isHeldByCurrentThread, "Lock \"\(name)\" must be held here")
  }

  @inline(never)
  private func unlockAndAccount(since: Int64) {
    let hold = instruments.pointee.holdNanoseconds(since: since)
    instruments.pointee.owner.store(0, ordering: .relaxed)
    mutex.unlock()
    // The lock is not held any more: what follows holds up nobody.
    if hold != 0 { instruments.pointee.row.didHold(nanoseconds: hold) }
    ThreadRecord.existing?.settle(instruments)
  }

  /// The lock is held, and a condition is about to release it.
  func willReleaseToWait() {
    let since = instruments.pointee.heldSince.load(ordering: .relaxed)
    instruments.pointee.row.didHold(nanoseconds: instruments.pointee.holdNanoseconds(since: since))
    instruments.pointee.owner.store(0, ordering: .relaxed)
  }

  @inline(never)
  private func lockAfterWaiting(before deadline: Deadline) -> Bool {
    if isHeldByCurrentThread {
      fatalError("Lock \"\(name)\" is locked twice by thread \(heddle_tid()): a Lock is not recursive")
    }
    let row = instruments.pointee.row
    row.didContend()
    let record = ThreadRecord.current
    let start = heddle_now()
    if let now = spin(from: start, before: deadline) {
      // Measured before the lock was taken, and minus: no clock is read while others wait.
      instruments.pointee.didAcquireAfterWaiting(since: -now)
      record.owe(now - start, for: instruments)
      return true
    }
    LockInstruments.beginWaiting(for: instruments, record: record, since: start)
    instruments.pointee.noteHolder(hasHeldSince: start)
    let acquired = mutex.lock(before: deadline)
    let now = heddle_now()
    instruments.pointee.endWaiting(record: record)
    if acquired {
      instruments.pointee.didAcquireAfterWaiting(since: now)
      record.owe(now - start, for: instruments)
    } else {
      row.didTimeOut()
      row.didWait(nanoseconds: now - start)
    }
    return acquired
  }

  /// Tries for a short while without going to sleep, and if that succeeds returns when.
  ///
  /// Between the attempts, which become ever rarer, only the clock is read: each look at the lock takes its cache line
  /// from the holder, who is about to write to it.
  private func spin(from start: Int64, before deadline: Deadline) -> Int64? {
    let end = min(start + LockInstruments.spinNanoseconds, deadline.nanoseconds)
    var pause: Int64 = 300
    var next = start + pause
    while true {
      let now = heddle_now()
      if now >= end { return nil }
      if now >= next {
        if instruments.pointee.owner.load(ordering: .relaxed) == 0, mutex.tryLock() { return now }
        pause *= 2
        next = now + pause
      }
    }
  }
}
