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

  var schema = "heddle/locks/1"
  /// One in so many contended acquisitions is sampled; 0: none is. Nothing samples them yet.
  var profileRate = 0
  var locks: [Row]
  /// Empty: nothing looks for either yet. The members are there because readers of this schema expect them.
  var deadlocks: [String] = []
  var orderInversions: [String] = []

  init(_ locks: [LockStatistics]) {
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
