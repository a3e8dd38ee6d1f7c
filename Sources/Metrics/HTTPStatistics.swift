/// What a server has done so far: a value, taken at one moment without stopping anybody.
package struct HTTPStatistics: Sendable {
  /// Requests of one route, method and status.
  package struct Row: Sendable {
    /// The route's label, or `unmatched`.
    package let route: String
    /// The method, or `_OTHER`.
    package let method: String
    /// The status code.
    package let status: Int
    /// How long they took, from the complete request to the finished result.
    package let duration: HistogramSnapshot

    package init(route: String, method: String, status: Int, duration: HistogramSnapshot) {
      self.route = route
      self.method = method
      self.status = status
      self.duration = duration
    }
  }

  /// A route that caps how many of its requests run at once.
  package struct Bulkhead: Sendable {
    /// The route's label.
    package let route: String
    /// The most that run at once; and that wait for that, nil: no limit of its own.
    package let limit: Int
    package let waitingLimit: Int?
    /// Requests that run; that wait; that were refused because too many waited.
    package let running: Int
    package let waiting: Int
    package let rejectedTotal: UInt64

    package init(
      route: String, limit: Int, waitingLimit: Int?, running: Int, waiting: Int, rejectedTotal: UInt64
    ) {
      self.route = route
      self.limit = limit
      self.waitingLimit = waitingLimit
      self.running = running
      self.waiting = waiting
      self.rejectedTotal = rejectedTotal
    }

    /// Both together, under the first one's label.
    static func + (left: Bulkhead, right: Bulkhead) -> Bulkhead {
      var waitingLimit: Int?
      if let one = left.waitingLimit, let other = right.waitingLimit { waitingLimit = one + other }
      return Bulkhead(
        route: left.route, limit: left.limit + right.limit, waitingLimit: waitingLimit,
        running: left.running + right.running, waiting: left.waiting + right.waiting,
        rejectedTotal: left.rejectedTotal + right.rejectedTotal)
    }
  }

  /// Those routes, in the order in which they were added.
  package private(set) var bulkheads: [Bulkhead] = []

  /// Adds a route's figures. Routes of one label, such as two methods of one pattern, are shown as one.
  package mutating func add(_ bulkhead: Bulkhead) {
    if let index = bulkheads.firstIndex(where: { $0.route == bulkhead.route }) {
      bulkheads[index] = bulkheads[index] + bulkhead
    } else {
      bulkheads.append(bulkhead)
    }
  }

  /// One row for each combination that occurred.
  package var rows: [Row] = []
  /// Requests whose label set found no room any more.
  package var overflow: UInt64 = 0
  /// Durations of all requests.
  package var duration = LatencySnapshot()
  /// Waiting times of all requests that waited for a worker.
  package var queueWait = LatencySnapshot()
  package var queueWaits = HistogramSnapshot.empty(.requestDuration)
  /// Requests that have come, were answered, and lost their client before an answer was there.
  package var requestsTotal: UInt64 = 0
  package var answeredTotal: UInt64 = 0
  package var abandonedTotal: UInt64 = 0
  /// Answers that did not get out whole.
  package var abortedTotal: UInt64 = 0
  package var connectionsAcceptedTotal: UInt64 = 0
  package var connectionsOpen: UInt64 = 0
  package var connectionLimit = 0
  /// Answered with 503, by cause.
  package var queueFullTotal: UInt64 = 0
  package var drainExpiredTotal: UInt64 = 0
  /// Errors that handlers threw.
  package var thrownTotal: UInt64 = 0
  /// Answered with 504 because they took longer than they may.
  package var timedOutTotal: UInt64 = 0
  package var suspensionsTotal: UInt64 = 0
  package var passesTotal: UInt64 = 0

  /// Nothing has happened yet.
  package init() {}

  /// Requests that have come and are neither answered nor abandoned.
  package var inFlight: UInt64 {
    let ended = answeredTotal &+ abandonedTotal
    return requestsTotal > ended ? requestsTotal - ended : 0
  }

  /// How many requests got a status of each class: `2xx` and so on.
  package var byStatusClass: [String: UInt64] {
    rows.reduce(into: [:]) { $0["\($1.status / 100)xx", default: 0] += $1.duration.count }
  }
}
