import HTTPMessages
import Metrics
import Synchronization

/// What the lanes and the requests of one server share.
final class ServiceCore: Sendable {
  /// Where to listen, and the limits.
  let configuration: HTTPConfiguration
  /// What to answer.
  let routes: RouteTable
  /// The same by the route's number, for those who have one.
  let runtimes: RouteRuntimes
  /// What the monitor keeps: for the answers that it gives, to requests that waited too long.
  let monitorContext = WorkerContext()
  /// Answered with 503 because the queue was full. Counted by whoever finds it so.
  let queueFull = Counter()
  private let draining = Atomic<Bool>(false)
  private let report: @Sendable (HandlerFailure) -> Void

  init(configuration: HTTPConfiguration, routes: RouteTable, report: @escaping @Sendable (HandlerFailure) -> Void) {
    self.configuration = configuration
    self.routes = routes
    self.report = report
    runtimes = RouteRuntimes(routes, configuration: configuration)
  }

  /// Whether the server is on its way out.
  var isDraining: Bool { draining.load(ordering: .relaxed) }

  /// From now on it is. False: it was already.
  func beginDrain() -> Bool { !draining.exchange(true, ordering: .acquiringAndReleasing) }

  /// The answer to an error that a handler threw: its own if it has one, else 500 without any detail that could give away what
  /// the server is made of.
  func response(to error: any Error, request: RequestStorage, route: Int) -> Response {
    if let answer = error as? any ResponseError {
      return ProblemDetails(error, requestID: request.idText).response(headers: answer.headers)
    }
    report(HandlerFailure(error: error, requestID: request.id, route: routes.routes[route].label))
    return ProblemDetails(error, requestID: request.idText).response()
  }
}

/// An error that a handler threw, for the log.
package struct HandlerFailure: Sendable {
  /// What was thrown.
  package let error: any Error
  /// The request's identifier.
  package let requestID: UInt64
  /// The route's label.
  package let route: String
}
