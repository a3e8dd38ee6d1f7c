import Locks

/// `/api/locks`: the contention of each lock. Locks of one name are one row.
struct LocksDocument: Encodable {
  struct Quantiles: Encodable { var p50, p99: Double }

  struct Row: Encodable {
    var name, kind: String
    var instances: Int
    var acquisitionsTotal, contentionsTotal, tryFailuresTotal, timeoutsTotal: UInt64
    var waitSecondsTotal, waitSecondsMax: Double
    var wait: Quantiles
    var holdSecondsMax: Double
    var owner: String?
    var heldFor: Double?
    var waiters: [String]
  }

  /// Threads that wait for each other in a circle.
  struct Deadlock: Encodable {
    var threads, locks: [String]
  }

  var schema = "heddle/locks/1"
  /// One in so many contended acquisitions is sampled; 0: none is. Nothing samples them yet.
  var profileRate = 0
  var locks: [Row]
  var deadlocks: [Deadlock]
  /// The order in which locks are nested is not recorded yet: always empty, and there because readers expect it.
  var orderInversions: [String] = []

  init(_ locks: [LockStatistics], deadlocks: [LockDeadlock]) {
    self.deadlocks = deadlocks.map { Deadlock(threads: $0.threads, locks: $0.locks) }
    self.locks = locks.map { lock in
      Row(
        name: lock.name, kind: lock.kind.rawValue, instances: lock.instances,
        acquisitionsTotal: lock.acquisitionsTotal, contentionsTotal: lock.contentionsTotal,
        tryFailuresTotal: lock.tryFailuresTotal, timeoutsTotal: lock.timeoutsTotal,
        waitSecondsTotal: lock.waitSecondsTotal, waitSecondsMax: lock.waitSecondsMax,
        wait: Quantiles(p50: lock.waits.quantile(0.5), p99: lock.waits.quantile(0.99)),
        holdSecondsMax: lock.holdSecondsMax, owner: lock.owner?.name, heldFor: lock.owner?.heldForSeconds,
        waiters: lock.waiters)
    }
  }
}
