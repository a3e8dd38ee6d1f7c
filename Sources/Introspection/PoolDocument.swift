import Locks
import WorkerPool

/// `/api/pool`: how the pool is set, and what it has done.
struct PoolDocument: Encodable {
  var schema = "heddle/pool/1"
  var name = "workers"
  var minThreads, maxThreads: Int
  /// Seconds.
  var idleTimeout: Double
  var queueLimit: Int
  /// Seconds; 0: off.
  var queueDeadline: Double
  /// Of so many requests that are taken while all priorities wait, how many are of each.
  var weights: [String: Int]
  /// Seconds; a target of 0: nothing is shed.
  var shedTarget, shedInterval: Double
  var stackBytes: Int
  var lanes: Int
  var counts: ThreadsDocument.Counts
  var queueDepth: Int
  var spawnFailuresTotal: UInt64
  var itemsTotal: UInt64

  init(_ pool: PoolStatistics, configuration: PoolConfiguration, lanes: Int) {
    minThreads = pool.limits.minThreads
    maxThreads = pool.limits.maxThreads
    idleTimeout = Double(pool.limits.idleTimeout.wholeNanoseconds) / 1e9
    queueLimit = pool.queueLimit
    queueDeadline = Double(configuration.queueDeadline.wholeNanoseconds) / 1e9
    weights = Dictionary(uniqueKeysWithValues: WorkPriority.allCases.map { ($0.name, $0.weight) })
    shedTarget = Double(configuration.shedTarget.wholeNanoseconds) / 1e9
    shedInterval = Double(configuration.shedInterval.wholeNanoseconds) / 1e9
    stackBytes = configuration.stackSize
    self.lanes = lanes
    counts = ThreadsDocument.Counts(pool)
    queueDepth = pool.queueDepth
    spawnFailuresTotal = pool.spawnFailuresTotal
    itemsTotal = pool.runsTotal
  }
}

/// `/healthz` and `/readyz`.
struct HealthDocument: Encodable {
  var status: String
  /// Why not, where the status is not `ok`.
  var reasons: [String]?

  init(reasons: [String]) {
    status = reasons.isEmpty ? "ok" : "unavailable"
    self.reasons = reasons.isEmpty ? nil : reasons
  }
}

/// `/api`: what there is.
struct IndexDocument: Encodable {
  struct Entry: Encodable { var method, path, summary: String }
  var schema = "heddle/index/1"
  var server: String
  var routes: [Entry]
}
