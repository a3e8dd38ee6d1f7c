package import HTTPMessages
package import Locks
package import RunLoops
package import WorkerPool

/// A server without its surroundings: a socket, lanes that share its port, and the pool that leads them.
///
/// Made, started, drained; each once. May be used from any thread.
package final class HTTPService: Sendable {
  /// The threads.
  package let pool: WorkerPool
  /// The address it listens on.
  package let address: String
  /// The port it listens on.
  package let port: UInt16
  let core: ServiceCore
  let lanes: [HTTPLane]

  /// Binds the socket and makes the lanes. No thread exists yet and no client is accepted.
  ///
  /// - Parameters:
  ///   - configuration: where to listen, and the limits
  ///   - poolConfiguration: sizes and limits of the worker pool
  ///   - routes: what to answer
  ///   - report: told, on the worker's thread, of every error that a handler threw; it must not block
  /// - Throws: ``ListenError``, ``ServiceError``, or `PoolError` for limits that contradict each other.
  package init(
    configuration: HTTPConfiguration, pool poolConfiguration: PoolConfiguration, routes: RouteTable,
    report: @escaping @Sendable (HandlerFailure) -> Void = { _ in }
  ) throws {
    if let problem = configuration.problem { throw ServiceError.badConfiguration(problem) }
    let core = ServiceCore(configuration: configuration, routes: routes, report: report)
    let isShared = configuration.lanes > 1
    var wanted = configuration.port
    if isShared {
      // A port that may be shared is given away a second time without a word: whether somebody else has it shows only now.
      wanted = try ListeningSocket(
        host: configuration.host, port: wanted, backlog: configuration.backlog, shared: false
      ).port
    }
    let first = try ListeningSocket(
      host: configuration.host, port: wanted, backlog: configuration.backlog, shared: isShared)
    let (address, port) = (first.address, first.port)
    let lanes = try (0..<configuration.lanes).map { try HTTPLane(core: core, number: $0) }
    pool = try WorkerPool(
      configuration: poolConfiguration, lanes: lanes, makeContext: { WorkerContext() },
      sample: { HTTPService.sample(lanes: lanes, contexts: $0 + [core.monitorContext]) })
    try lanes[0].open(first)
    for lane in lanes.dropFirst() {
      try lane.open(ListeningSocket(host: address, port: port, backlog: configuration.backlog, shared: true))
    }
    self.core = core
    self.lanes = lanes
    self.address = address
    self.port = port
  }

  /// Starts the threads; from here on clients are answered.
  ///
  /// - Parameters:
  ///   - monitorLoop: the run loop of the thread that watches over the pool, to be run until `whenFinished` is called
  ///   - whenFinished: called on that thread when the last worker has left after a drain
  /// - Throws: `PoolError` if the minimum of threads cannot be had. Nothing runs then.
  package func start(monitorLoop: ThreadRunLoop, whenFinished: @escaping @Sendable () -> Void) throws {
    do {
      try pool.start(monitorLoop: monitorLoop, whenFinished: whenFinished)
    } catch {
      beginDrain()
      // A client may have been accepted by one of the threads that came; with so few threads its request may never be run, and the
      // monitor that would see to it waits here.
      expire()
      pool.waitUntilFinished()
      throw error
    }
  }

  /// Whether the server is on its way out.
  package var isDraining: Bool { core.isDraining }

  /// Stops accepting; what has begun is finished, and each connection is closed after its answer. Returns at once.
  package func beginDrain() {
    guard core.beginDrain() else { return }
    pool.close()
    for lane in lanes { lane.send(.drain) }
  }

  /// Answers with 503 whatever is not answered yet, so that a drain comes to its end although handlers still run. They are told
  /// (`Request.isCancelled`); their results are dropped.
  package func expire() {
    for lane in lanes { lane.send(.expire) }
  }

  /// Closes what is left after ``expire()``, where only clients hold it up: those that do not send, or take, what they should.
  package func abort() {
    for lane in lanes { lane.send(.abort) }
  }

  /// Gives up on threads that are stuck: nobody waits for them or watches them any more.
  package func abandon() { pool.abandon() }

  /// Waits until every thread has ended. Not on a worker. False: the deadline passed first.
  @discardableResult
  package func waitUntilFinished(before deadline: Deadline = .distantFuture) -> Bool {
    pool.waitUntilFinished(before: deadline)
  }
}

/// Why a service could not be made.
package enum ServiceError: Error, CustomStringConvertible {
  /// A setting is out of its range; the text says which and what is allowed.
  case badConfiguration(String)
  /// A system call failed.
  case system(String, Int32)

  /// One line for people.
  package var description: String {
    switch self {
    case .badConfiguration(let text): text
    case .system(let call, let code): "\(call) failed: \(systemMessage(code))"
    }
  }
}
