import FoundationEssentials

// The JSON of docs/api.md, name for name: decoding fails where a member is missing or of another type.

struct ThreadsShape: Decodable {
  struct Counts: Decodable {
    var total, idle, running, blocked, leading, quarantined, min, max, peak: Int
    var spawnedTotal, endedIdleTotal, endedTotal: Int
  }
  struct Request: Decodable {
    var id, method, route: String
    var elapsed: Double
  }
  struct Wait: Decodable {
    var lock: String
    var owner: String?
    var elapsed: Double
  }
  struct Thread: Decodable {
    var name: String
    var id, tid: Int
    var role, state: String
    var since: Double?
    var request: Request?
    var waitingFor: Wait?
    // Of workers only.
    var requestsTotal, errorsTotal: Int?
    var cpuSeconds: Double?
    var stackBytes: Int?
    var loopIterationsTotal: Int
  }
  var schema: String
  var counts: Counts
  var threads: [Thread]

  var workers: [Thread] { threads.filter { $0.role == "worker" } }
}

struct LocksShape: Decodable {
  struct Quantiles: Decodable { var p50, p99: Double }
  struct Lock: Decodable {
    var name, kind: String
    var instances, acquisitionsTotal, contentionsTotal, tryFailuresTotal: Int
    var waitSecondsTotal, waitSecondsMax: Double
    var wait: Quantiles
    var holdSecondsMax: Double
    var owner: String?
    var heldFor: Double?
    var waiters: [String]
  }
  struct Anything: Decodable {}
  var schema: String
  var profileRate: Int
  var locks: [Lock]
  var deadlocks: [Anything]
  var orderInversions: [Anything]
}

struct StatsShape: Decodable {
  struct Duration: Decodable { var p50, p90, p99, max: Double }
  struct Wait: Decodable { var p50, p99, max: Double }
  struct Requests: Decodable {
    var total, inFlight: Int
    var perSecond: Double
    var byStatus: [String: Int]
    var duration: Duration
    var queueWait: Wait
  }
  struct Queue: Decodable {
    var depth, limit, peak, heldBack, rejectedTotal, bulkheadRejectedTotal, shedTotal, expiredTotal: Int
    var byPriority: [String: Int]
  }
  struct Bulkhead: Decodable {
    var route: String
    var limit, running, waiting, rejectedTotal: Int
    var waitingLimit: Int?
  }
  struct Connections: Decodable { var active, acceptedTotal, limit, abandonedTotal: Int }
  struct Threads: Decodable {
    var total, idle, running, blocked: Int
    var saturatedFor: Double
  }
  struct Locks: Decodable {
    var contentionsTotal: Int
    var waitSecondsTotal: Double
  }
  struct Failures: Decodable { var thrownTotal, cxxExceptionsTotal, trapsTotal, timeoutsTotal: Int }
  struct Switches: Decodable { var voluntary, involuntary: Int }
  struct Process: Decodable {
    var residentBytes: Int
    var cpuSeconds: Double
    var openFileDescriptors: Int
    var contextSwitches: Switches
  }
  var schema: String
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
}

struct EventsShape: Decodable {
  struct Event: Decodable {
    var id: Int
    var kind, reason: String
    var worker: String?
    var queueDepth, threads: Int
    var before, after: Performance?
  }
  struct Performance: Decodable {
    var seconds, requestsPerSecond: Double
    var p99: Double?
  }
  var schema: String
  var lastId: Int
  var events: [Event]

  func count(_ kind: String, _ reason: String? = nil) -> Int {
    events.filter { $0.kind == kind && (reason == nil || $0.reason == reason) }.count
  }
}

struct PoolShape: Decodable {
  var schema: String
  var minThreads, maxThreads: Int
  var idleTimeout, queueDeadline, shedTarget, shedInterval: Double
  var weights: [String: Int]
}

struct HealthShape: Decodable {
  var status: String
  var reasons: [String]?
}

struct IndexShape: Decodable {
  struct Route: Decodable { var method, path, summary: String }
  var schema: String
  var routes: [Route]
}

struct ProblemShape: Decodable {
  var type, title: String
  var status: Int
  var detail, requestId: String?
}

extension Reply {
  /// The body as JSON of this shape.
  func json<Shape: Decodable>(_ shape: Shape.Type) throws -> Shape {
    try JSONDecoder().decode(shape, from: Data(body))
  }
}

extension TestServer {
  func threads() throws -> ThreadsShape { try get("/api/threads").json(ThreadsShape.self) }
  func stats() throws -> StatsShape { try get("/api/stats").json(StatsShape.self) }
  func events() throws -> EventsShape { try get("/api/events").json(EventsShape.self) }
}
