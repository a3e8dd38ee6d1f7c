import WorkerPool

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
    /// What was achieved shortly before, and shortly after.
    var before, after: Performance?
  }

  struct Performance: Encodable {
    var seconds, requestsPerSecond: Double
    /// Left out if nothing was measured.
    var p99: Double?

    init(_ performance: PoolPerformance) {
      seconds = performance.seconds
      requestsPerSecond = performance.perSecond
      p99 = performance.p99
    }
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
    // Who reads is awake anyhow: on an idle server nobody else would take the sample that an event's `after` waits for.
    ring.sampleIfDue()
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
        threads: event.threads, before: event.before.map(Performance.init), after: event.after.map(Performance.init))
    }
  }
}
