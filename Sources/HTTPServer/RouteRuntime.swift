import HTTPMessages
import Synchronization

/// What serving needs to know of a route, laid out so that looking at it takes no reference.
struct RouteRuntime: ~Copyable, Sendable {
  /// What answers.
  let handler: Handler
  /// Answered on the leading thread itself.
  let isInline: Bool
  /// The most bytes of a body.
  let bodyLimit: Int
  /// How long the handler is expected to run.
  let estimate = ServiceEstimate()

  init(_ entry: RouteEntry, configuration: HTTPConfiguration) {
    handler = entry.handler
    isInline = entry.options.isInline
    bodyLimit = entry.options.maxBodyBytes ?? configuration.maxBodyBytes
  }
}

/// The routes of one server by their numbers: memory that stays where it is, so that a look costs one load.
final class RouteRuntimes: @unchecked Sendable {
  // Unchecked: filled in init and never changed; what can change in it is atomic.
  private let routes: UnsafeMutableBufferPointer<RouteRuntime>

  init(_ table: RouteTable, configuration: HTTPConfiguration) {
    routes = .allocate(capacity: table.routes.count)
    for (index, entry) in table.routes.enumerated() {
      routes.initializeElement(at: index, to: RouteRuntime(entry, configuration: configuration))
    }
  }

  deinit {
    routes.deinitialize()
    routes.deallocate()
  }

  /// The route of a number that the table gave out.
  subscript(index: Int) -> RouteRuntime {
    _read {
      precondition(routes.indices.contains(index), "no such route")
      yield routes[index]
    }
  }
}
