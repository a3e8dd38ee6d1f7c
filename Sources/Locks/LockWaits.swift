import CPlatform
import Synchronization

/// A thread's present wait.
package struct LockWait: Sendable, Equatable {
  package let lockName: String
  /// With `.condition`, the thread waits to be told something, and there is no owner.
  package let kind: LockKind
  /// Who holds the lock; nil if nobody did at that moment.
  package let ownerTID: Int32?
  package let ownerName: String?
  /// For how long the thread has waited.
  package let elapsedSeconds: Double
}

/// Who waits for what.
package enum LockWaits {
  /// Every thread that waits now for a lock or in a condition, by its id in the kernel. May be called from any thread;
  /// takes only the registry's mutex, so also while every other lock is held.
  package static func snapshot() -> [Int32: LockWait] {
    var names = ThreadNames()
    let raw = registry.mutex.withLock {
      names.add(registry.records)
      return registry.records.compactMap { RawWait($0) }
    }
    let now = heddle_now()
    return raw.reduce(into: [:]) { waits, wait in
      waits[wait.tid] = LockWait(
        lockName: wait.row.name, kind: wait.row.kind, ownerTID: wait.owner,
        ownerName: wait.owner.map { names[$0] }, elapsedSeconds: seconds(max(now - wait.since, 0)))
    }
  }
}

/// What is read of a thread's wait while the registry's mutex is held.
private struct RawWait {
  let tid: Int32
  let row: LockRow
  let owner: Int32?
  let since: Int64

  init?(_ record: ThreadRecord) {
    guard let wait = record.currentWait() else { return nil }
    tid = record.tid.load(ordering: .relaxed)
    row = wait.instruments.pointee.row
    since = wait.since
    let holder = wait.instruments.pointee.owner.load(ordering: .relaxed)
    owner = holder == 0 ? nil : holder
  }
}
