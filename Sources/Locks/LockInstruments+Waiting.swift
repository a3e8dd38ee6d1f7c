import CPlatform
import Synchronization

/// The slow path: the lock was not free. Here, and only here, a thread reads the clock at each acquisition.
extension LockInstruments {
  /// How long a thread looks again and again before it sleeps: about what it costs to go to sleep and be woken.
  static var spinNanoseconds: Int64 { 2_000 }

  /// Publishes that the calling thread sleeps for this instance from now on.
  static func beginWaiting(
    for instruments: UnsafeMutablePointer<LockInstruments>, record: ThreadRecord, since start: Int64
  ) {
    instruments.pointee.waiters.wrappingAdd(1, ordering: .relaxed)
    record.beginWaiting(for: instruments, since: start)
  }

  /// The wait has ended, with the lock held or with the deadline passed.
  func endWaiting(record: ThreadRecord) {
    waiters.wrappingSubtract(1, ordering: .relaxed)
    record.endWaiting()
  }

  /// The calling thread has the lock, after it was not free. Most of the accounts are made when it is released again:
  /// here they would lengthen the time for which others wait.
  /// - Parameter since: the present moment as `heldSince` wants it
  func didAcquireAfterWaiting(since: Int64) {
    acquisitions.store(acquisitions.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    owner.store(heddle_tid(), ordering: .relaxed)
    heldSince.store(since, ordering: .relaxed)
  }

  /// Says on behalf of the holder, who did not read the clock, that it has had the lock at least since `now`.
  ///
  /// The lock may change hands meanwhile, which `acquisitions` tells: then what was said of the old holder is taken back
  /// and said of the new one. Four attempts: a lock that moves so fast has no holder worth asking about.
  func noteHolder(hasHeldSince now: Int64) {
    for _ in 0..<4 {
      let turn = acquisitions.load(ordering: .acquiring)
      let (noted, _) = heldSince.compareExchange(
        expected: 0, desired: -now, ordering: .acquiringAndReleasing)
      if !noted || acquisitions.load(ordering: .acquiring) == turn { return }
      _ = heldSince.compareExchange(expected: -now, desired: 0, ordering: .acquiringAndReleasing)
    }
  }
}
