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

/// `/api/events`: what happened to the pool's threads, oldest first.
struct EventsDocument: Encodable {
  struct Event: Encodable {
    var id: UInt64
    /// Seconds since the server started; and how long ago that was.
    var at, age: Double
    var kind: String
    var reason: String
    var worker: String?
    var queueDepth, threads: Int
  }

  /// The most events in one answer.
  static let most = 500

  var schema = "heddle/events/1"
  /// The number of the last event here, or of the newest one where there is none: what to give as `since` next time.
  var lastId: UInt64
  /// Whether there are newer ones: ask again with `since`.
  var hasMore: Bool
  /// How many events are kept at most; older ones are gone.
  var capacity: Int
  var events: [Event]

  init(_ ring: EventRing, since id: UInt64, startedAt: Int64, now: Int64) {
    let (all, lastID) = ring.events(since: id)
    // The leading thread makes the text: so much of it that other clients do not notice.
    let events = all.prefix(EventsDocument.most)
    hasMore = events.count < all.count
    lastId = hasMore ? events.last?.id ?? lastID : lastID
    capacity = ring.capacity
    self.events = events.map { event in
      Event(
        id: event.id, at: Double(event.at - startedAt) / 1e9, age: Double(max(0, now - event.at)) / 1e9,
        kind: event.kind.rawValue, reason: event.reason, worker: event.worker, queueDepth: event.queueDepth,
        threads: event.threads)
    }
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
