import Locks
import Metrics
import WorkerPool

/// `/api/stats`: the live figures. Times in seconds.
struct StatsDocument: Encodable {
  struct Duration: Encodable { var p50, p90, p99, max: Double }
  struct Wait: Encodable { var p50, p99, max: Double }
  struct Requests: Encodable {
    var total, inFlight: UInt64
    var perSecond: Double
    var byStatus: [String: UInt64]
    var duration: Duration
    var queueWait: Wait
  }
  struct Queue: Encodable {
    var depth, limit, peak: Int
    /// Of `depth`, those that wait because their routes' `maxConcurrent` run.
    var heldBack: Int
    /// `depth` by priority.
    var byPriority: [String: Int]
    var rejectedTotal, bulkheadRejectedTotal, shedTotal, expiredTotal: UInt64
  }
  struct Bulkhead: Encodable {
    var route: String
    var limit: Int
    /// The most that may wait, where the route limits that.
    var waitingLimit: Int?
    var running, waiting: Int
    var rejectedTotal: UInt64
  }
  struct Connections: Encodable {
    var active, acceptedTotal: UInt64
    var limit: Int
    var abandonedTotal, abortedTotal: UInt64
  }
  struct Threads: Encodable {
    var total, idle, running, blocked: Int
    var saturatedFor: Double
  }
  struct Locks: Encodable {
    var contentionsTotal: UInt64
    var waitSecondsTotal: Double
  }
  struct Failures: Encodable { var thrownTotal, cxxExceptionsTotal, trapsTotal, timeoutsTotal: UInt64 }
  struct Switches: Encodable { var voluntary, involuntary: Int }
  struct Process: Encodable {
    var residentBytes: UInt64
    var cpuSeconds: Double
    var openFileDescriptors: Int
    var contextSwitches: Switches
  }

  var schema = "heddle/stats/1"
  var uptime: Double
  var startedAt: String
  var requests: Requests
  var queue: Queue
  var bulkheads: [Bulkhead]
  var connections: Connections
  var threads: Threads
  var locks: Locks
  var failures: Failures
  var process: Process

  init(_ snapshot: ServerSnapshot) {
    let (http, pool) = (snapshot.http, snapshot.pool)
    uptime = snapshot.uptime
    startedAt = JSONDocument.timestamp(secondsSince1970: snapshot.startedAt)
    requests = Requests(
      total: http.requestsTotal, inFlight: http.inFlight, perSecond: snapshot.requestsPerSecond,
      byStatus: http.byStatusClass, duration: Duration(http.duration), queueWait: Wait(http.queueWait))
    queue = Queue(
      depth: pool.queueDepth, limit: pool.queueLimit, peak: pool.queuePeak, heldBack: pool.heldBack,
      byPriority: Dictionary(uniqueKeysWithValues: pool.depths.map { ($0.name, $1) }),
      rejectedTotal: pool.rejectedTotal, bulkheadRejectedTotal: pool.bulkheadRejectedTotal, shedTotal: pool.shedTotal,
      expiredTotal: pool.expiredTotal)
    bulkheads = http.bulkheads.map {
      Bulkhead(
        route: $0.route, limit: $0.limit, waitingLimit: $0.waitingLimit, running: $0.running, waiting: $0.waiting,
        rejectedTotal: $0.rejectedTotal)
    }
    connections = Connections(
      active: http.connectionsOpen, acceptedTotal: http.connectionsAcceptedTotal, limit: http.connectionLimit,
      abandonedTotal: http.abandonedTotal, abortedTotal: http.abortedTotal)
    let counts = ThreadsDocument.Counts(pool)
    threads = Threads(
      total: counts.total, idle: counts.idle, running: counts.running, blocked: counts.blocked,
      saturatedFor: pool.saturatedSeconds)
    locks = Locks(
      contentionsTotal: snapshot.locks.reduce(0) { $0 + $1.contentionsTotal },
      waitSecondsTotal: snapshot.locks.reduce(0) { $0 + ($1.kind == .condition ? 0 : $1.waitSecondsTotal) })
    failures = Failures(
      thrownTotal: http.thrownTotal, cxxExceptionsTotal: 0, trapsTotal: 0, timeoutsTotal: http.timedOutTotal)
    let process = snapshot.process
    self.process = Process(
      residentBytes: process.residentBytes, cpuSeconds: process.cpuSeconds,
      openFileDescriptors: process.openFileDescriptors,
      contextSwitches: Switches(voluntary: process.voluntarySwitches, involuntary: process.involuntarySwitches))
  }
}

extension StatsDocument.Duration {
  init(_ latency: LatencySnapshot) {
    self.init(
      p50: latency.quantile(0.5), p90: latency.quantile(0.9), p99: latency.quantile(0.99), max: latency.maxSeconds)
  }
}

extension StatsDocument.Wait {
  init(_ latency: LatencySnapshot) {
    self.init(p50: latency.quantile(0.5), p99: latency.quantile(0.99), max: latency.maxSeconds)
  }
}
