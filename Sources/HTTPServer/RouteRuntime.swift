import HTTPMessages
import Locks
import Synchronization
import WorkerPool

/// What serving needs to know of a route. Exchanges refer to it without counting: it lives as long as the server.
final class RouteRuntime: Sendable {
  /// What answers.
  let handler: Handler
  /// Answered on the leading thread itself.
  let isInline: Bool
  /// The most bytes of a body.
  let bodyLimit: Int
  /// Which of the time limits holds, an index into ``RouteRuntimes/timeouts``; -1: none.
  let deadlineQueue: Int
  /// How soon its requests are run.
  let priority: WorkPriority
  /// What caps how many run at once: one of ``RouteRuntimes/bulkheads``.
  let bulkhead: Unmanaged<Bulkhead>?
  /// How long the handler is expected to run.
  let estimate = ServiceEstimate()

  init(_ entry: RouteEntry, deadlineQueue: Int, bulkhead: Bulkhead?, configuration: HTTPConfiguration) {
    self.deadlineQueue = deadlineQueue
    self.bulkhead = bulkhead.map(Unmanaged.passUnretained)
    priority = WorkPriority(entry.options.priority)
    handler = entry.handler
    isInline = entry.options.isInline
    bodyLimit = entry.options.maxBodyBytes ?? configuration.maxBodyBytes
  }
}

extension WorkPriority {
  /// The pool's word for a route's priority.
  init(_ priority: RouteOptions.Priority) {
    switch priority {
    case .high: self = .high
    case .normal: self = .normal
    case .low: self = .low
    }
  }
}

/// The routes of one server by their numbers.
final class RouteRuntimes: Sendable {
  private let routes: [RouteRuntime]

  /// Each time limit that some route has, in nanoseconds, once.
  let timeouts: [Int64]

  /// The routes that cap how many of their requests run at once, by their numbers.
  let bulkheads: [(route: Int, bulkhead: Bulkhead)]

  init(_ table: RouteTable, configuration: HTTPConfiguration) {
    var routes: [RouteRuntime] = []
    var timeouts: [Int64] = []
    var bulkheads: [(Int, Bulkhead)] = []
    for (index, entry) in table.routes.enumerated() {
      let timeout = (entry.options.timeout ?? configuration.requestTimeout).limitNanoseconds
      var queue = -1
      // An inline route is answered before anybody could look.
      if timeout > 0, !entry.options.isInline {
        queue = timeouts.firstIndex(of: timeout) ?? timeouts.count
        if queue == timeouts.count { timeouts.append(timeout) }
      }
      var bulkhead: Bulkhead?
      if let limit = entry.options.maxConcurrent, !entry.options.isInline {
        let made = Bulkhead(limit: limit, waitingLimit: entry.options.maxWaiting)
        bulkheads.append((index, made))
        bulkhead = made
      }
      routes.append(
        RouteRuntime(entry, deadlineQueue: queue, bulkhead: bulkhead, configuration: configuration))
    }
    self.routes = routes
    self.timeouts = timeouts
    self.bulkheads = bulkheads
  }

  /// The route of a number that the table gave out.
  subscript(index: Int) -> Unmanaged<RouteRuntime> { Unmanaged.passUnretained(routes[index]) }
}
