import CPlatform
import HTTPMessages
import HTTPServer
import Introspection
import Locks
import RunLoops
import WorkerPool

/// A server with a router of your own: it answers requests on a pool of long-lived threads, so that handlers may block.
///
/// ```swift
/// var router = Router()
/// router.get("/hello/:name") { request in .text("Hello, \(request.parameter("name") ?? "")!\n") }
/// try Server(router: router).run()
/// ```
/// One object serves once. May be used from any thread, except where a method says otherwise.
public final class Server: Sendable {
  /// How it ended.
  public enum Outcome: Sendable, Equatable {
    /// Everything that had begun was answered, and every thread has ended.
    case drained
    /// The drain timeout passed while these threads were still inside a handler. Their clients got 503. The threads cannot be ended
    /// from outside: the process should exit soon.
    case stuck([String])
  }

  /// The address it listens on.
  public var address: String { service.address }

  /// The port it listens on: the one chosen by the system if 0 was asked for.
  public var port: UInt16 { service.port }

  /// Its address as a URL without a path.
  public var url: String { address.contains(":") ? "http://[\(address)]:\(port)" : "http://\(address):\(port)" }

  /// What it was made with.
  public let configuration: ServerConfiguration

  let service: HTTPService
  let life = Locked("server.life", Life())
  let lifeChanged: Condition
  private let introspection: Late<Introspection>

  /// Where the server is in its one life.
  struct Life: Sendable {
    var hasStarted = false
    /// The monitor's run loop, while it runs.
    var loop: ThreadRunLoop?
    /// Clients are being answered.
    var isUp = false
    var isDraining = false
    var outcome: Outcome?
    /// The monitor's own thread and what kept it from starting, for ``start()``.
    var thread: OwnedThread?
    var failure: (any Error)?
  }

  /// Binds the port. Nobody is served before ``run()``, ``start()`` or ``serve()``.
  ///
  /// - Throws: ``ListenError`` if the port cannot be had; an error with a text for people if a setting is out of its range.
  public init(router: Router, configuration: ServerConfiguration = ServerConfiguration()) throws {
    let introspection = Late<Introspection>()
    let log = configuration.log
    var router = router
    try SystemRoutes.add(to: &router, configuration: configuration, introspection: introspection)
    service = try HTTPService(configuration: configuration.http, pool: configuration.pool, routes: router.freeze()) {
      log(.error, "request \(RequestID($0.requestID)) to \($0.route) failed: \($0.error)")
    }
    self.introspection = introspection
    self.configuration = configuration
    lifeChanged = Condition("server.life", lock: life.lock)
  }

  /// Serves on the calling thread, which becomes the server's monitor, until ``drain()`` is called. Signals are left alone:
  /// see ``run()``.
  ///
  /// - Parameter whenUp: called once, on this thread, when clients are being answered. Default: nothing
  /// - Returns: how it ended
  /// - Throws: if the minimum of threads cannot be had
  public func serve(whenUp: () -> Void = {}) throws -> Outcome {
    let loop = ThreadRunLoop.current
    life.withLock {
      precondition(!$0.hasStarted, "a Server serves once: make another one")
      $0.hasStarted = true
      $0.loop = loop
    }
    introspection.set(Introspection(introspectionSource(loop)))
    try service.start(monitorLoop: loop, whenFinished: { self.conclude(.drained) })
    let isDraining = life.withLock {
      $0.isUp = true
      lifeChanged.broadcast()
      return $0.isDraining
    }
    whenUp()
    if isDraining { beginDrain(loop) }
    while true {
      if let outcome = life.withLock({ $0.outcome }) { return finish(outcome) }
      loop.run()
    }
  }

  private func finish(_ outcome: Outcome) -> Outcome {
    // The scheduler has let every thread go; here they are joined. Those that are stuck cannot be.
    if outcome == .drained {
      service.waitUntilFinished()
    } else {
      service.abandon()
    }
    // The routes hold introspection, which holds the service, which holds the routes.
    introspection.clear()
    life.withLock {
      $0.loop = nil
      $0.isUp = false
      lifeChanged.broadcast()
    }
    return outcome
  }

  private func introspectionSource(_ loop: ThreadRunLoop) -> IntrospectionSource {
    let service = service
    return IntrospectionSource(
      pool: service.pool, http: { service.statistics() }, label: { service.routeLabel($0) },
      detail: { Method.label(code: UInt8(clamping: $0)) }, isDraining: { service.isDraining },
      mainThread: .init(
        tid: heddle_tid(), name: OwnedThread.current?.name ?? "main", isWaiting: { loop.isWaiting },
        iterationsTotal: { loop.statistics.iterationsTotal }))
  }

  /// On the monitor's thread.
  func conclude(_ outcome: Outcome) {
    let loop = life.withLock { life in
      if life.outcome == nil { life.outcome = outcome }
      return life.loop
    }
    loop?.stop()
  }
}
