import HTTPMessages
import Locks
import Synchronization

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
  /// How long the handler is expected to run.
  let estimate = ServiceEstimate()

  init(_ entry: RouteEntry, deadlineQueue: Int, configuration: HTTPConfiguration) {
    self.deadlineQueue = deadlineQueue
    handler = entry.handler
    isInline = entry.options.isInline
    bodyLimit = entry.options.maxBodyBytes ?? configuration.maxBodyBytes
  }
}

/// The routes of one server by their numbers.
final class RouteRuntimes: Sendable {
  private let routes: [RouteRuntime]

  /// Each time limit that some route has, in nanoseconds, once.
  let timeouts: [Int64]

  init(_ table: RouteTable, configuration: HTTPConfiguration) {
    var routes: [RouteRuntime] = []
    var timeouts: [Int64] = []
    for entry in table.routes {
      let timeout = (entry.options.timeout ?? configuration.requestTimeout).wholeNanoseconds
      var queue = -1
      // An inline route is answered before anybody could look.
      if timeout > 0, !entry.options.isInline {
        queue = timeouts.firstIndex(of: timeout) ?? timeouts.count
        if queue == timeouts.count { timeouts.append(timeout) }
      }
      routes.append(RouteRuntime(entry, deadlineQueue: queue, configuration: configuration))
    }
    self.routes = routes
    self.timeouts = timeouts
  }

  /// The route of a number that the table gave out.
  subscript(index: Int) -> Unmanaged<RouteRuntime> { Unmanaged.passUnretained(routes[index]) }
}
