import CMicroHTTPD
import CPlatform
import Glibc
import HTTPMessages
import Metrics
import WorkerPool

/// A lane: one libmicrohttpd daemon without a thread of its own, and the epoll set that its leader sleeps in.
///
/// Everything but ``post(_:)``, ``send(_:)`` and the figures is the leader's.
final class HTTPLane: Lane, @unchecked Sendable {
  // Unchecked: the leader's fields are handed on under the pool's lock; `inbox` and `figures` are made of atomics.

  let pollDescriptor: Int32
  let wakeDescriptor: Int32
  let figures = LaneFigures()
  let core: ServiceCore
  private let inbox = Inbox()

  // The leader's: one thread at a time, and no method of ours calls another in the middle of a change. That is what the run-time
  // check for exclusive access would verify at every use, for a third of this module's cost.
  private var daemon: OpaquePointer?
  @exclusivity(unchecked) private(set) var passNumber: UInt64 = 0
  @exclusivity(unchecked) private var batch = WorkChain()
  @exclusivity(unchecked) private var spare: [Exchange] = []
  /// Exchanges that libmicrohttpd holds, on its references: for a drain that has to end them.
  @exclusivity(unchecked) private var live: [Unmanaged<Exchange>] = []
  private(set) var isDraining = false
  /// The lane closes although connections are in the middle of something.
  private var isAborted = false
  /// The drain has taken too long: what comes now is refused, since nobody would end it any more.
  private(set) var isExpired = false
  /// Requests with a time limit, by limit: see ``RouteRuntime/deadlineQueue``.
  @exclusivity(unchecked) var deadlines: [DeadlineQueue]
  @exclusivity(unchecked) private var ids: RequestIDs
  /// See ``HeadCheck``.
  @exclusivity(unchecked) var hosts = HostMemo()
  /// Prebuilt answers that this lane has sent before.
  @exclusivity(unchecked) var sharedAnswers = SharedAnswers()
  /// The core's routes, which it keeps.
  let routes: Unmanaged<RouteTable>
  /// What the leading worker keeps: the figures that an answer without a handler goes to.
  @exclusivity(unchecked) private(set) var leaderContext: WorkerContext
  /// How often the library has called back.
  @exclusivity(unchecked) var calls: UInt64 = 0
  /// Passes in a row that the library asked for at once and in which it did not call back.
  @exclusivity(unchecked) private var fruitlessPasses = 0
  /// When this pass began to collect requests; 0: not asked for yet.
  @exclusivity(unchecked) private var clock: Int64 = 0

  /// How many such passes are made before they are put off: two or three are usual, after an answer was queued.
  private static let patience = 16
  /// For how long, in nanoseconds. Whatever else happens on the lane ends it.
  private static let fruitlessPause: Int64 = 5_000_000

  /// How many spare exchanges are kept: as many as are in progress at once on a busy lane.
  private static let spareLimit = 256

  init(core: ServiceCore, number: Int) throws(ServiceError) {
    self.core = core
    ids = RequestIDs(lane: number)
    routes = Unmanaged.passUnretained(core.routes)
    deadlines = core.runtimes.timeouts.map(DeadlineQueue.init)
    leaderContext = WorkerContext()
    pollDescriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard pollDescriptor >= 0, wakeDescriptor >= 0 else { throw .system("epoll_create1 or eventfd", errno) }
    // Edge-triggered: a wake-up is told once and needs no read. Writes add up in the counter, which never fills.
    try watch(wakeDescriptor, EPOLLIN.rawValue | EPOLLET.rawValue)
    live.reserveCapacity(64)
    spare.reserveCapacity(HTTPLane.spareLimit)
  }

  deinit {
    close()
    if pollDescriptor >= 0 { Glibc.close(pollDescriptor) }
    if wakeDescriptor >= 0 { Glibc.close(wakeDescriptor) }
  }

  /// Starts the daemon on a socket that listens. Before the pool starts.
  func open(_ socket: consuming ListeningSocket) throws(ServiceError) {
    let started = MHDCallbacks.start(socket: socket.take(), lane: self, configuration: core.configuration)
    guard let started else { throw .system("MHD_start_daemon", errno) }
    daemon = started
    // Level-triggered, whatever libmicrohttpd's own set is inside.
    try watch(heddle_mhd_epoll_fd(started), EPOLLIN.rawValue)
  }

  private func watch(_ descriptor: Int32, _ events: UInt32) throws(ServiceError) {
    var event = epoll_event()
    event.events = events
    guard epoll_ctl(pollDescriptor, EPOLL_CTL_ADD, descriptor, &event) == 0 else { throw .system("epoll_ctl", errno) }
  }

  // MARK: any thread

  /// Hands a finished exchange that was suspended back to the leader.
  func post(_ exchange: Exchange) { deliver(exchange) }

  /// Tells the leader something. A lane without a leader gets one within ticks, since the monitor is armed then.
  func send(_ command: LaneCommand.Kind) { deliver(LaneCommand(command)) }

  private func deliver(_ message: WorkItem) {
    if inbox.push(message) { heddle_eventfd_signal(wakeDescriptor) }
  }

  // MARK: Lane

  func pass(on worker: Worker) -> LanePass {
    guard let daemon else { return LanePass(batch: WorkChain(), timeout: .max, isDrained: true) }
    if let context = worker.context as? WorkerContext { leaderContext = context }
    passNumber &+= 1
    clock = 0
    inbox.take { message in
      if let command = message as? LaneCommand {
        carryOut(command.kind)
      } else if let exchange = message as? Exchange, let connection = exchange.connection {
        // Suspended, so libmicrohttpd cannot have closed it. Resumed by the leader, this costs no system call.
        MHD_resume_connection(connection)
      }
    }
    let closedBefore = figures.connectionsClosed
    let callsBefore = calls
    _ = MHD_run(daemon)
    figures.passes.add()
    var milliseconds: UInt64 = 0
    let isBounded = MHD_get_timeout(daemon, &milliseconds) == .YES
    var timeout = isBounded ? Int64(clamping: milliseconds).multipliedClamped(by: 1_000_000) : .max
    // A daemon at its limit of connections, or out of descriptors, takes its listening socket out of its epoll set, and puts it
    // back at the start of a run after a connection was closed: without another pass the clients that wait would wait on.
    if figures.connectionsClosed != closedBefore { timeout = 0 }
    if timeout == 0, calls == callsBefore {
      // A chunk's head that fills all of a connection's memory makes the library ask for passes for ever, in which it does nothing.
      fruitlessPasses += 1
      if fruitlessPasses > HTTPLane.patience { timeout = HTTPLane.fruitlessPause }
    } else {
      fruitlessPasses = 0
    }
    if !deadlines.isEmpty { timeout = min(timeout, enforceDeadlines()) }
    var collected = WorkChain()
    swap(&collected, &batch)
    return LanePass(batch: collected, timeout: timeout, isDrained: isDraining && mayClose)
  }

  /// Nothing is unfinished; or what is has no handler, and nobody waits for it any longer. A suspended connection would have the library
  /// abort the process.
  private var mayClose: Bool {
    live.isEmpty || isAborted && !live.contains { $0._withUnsafeGuaranteedRef { $0.stage == .waiting } }
  }

  func prepareToSleep() -> Bool { inbox.prepareToSleep() }

  func refuse(_ items: consuming WorkChain, on worker: Worker) {
    // Not a leader's step: by now somebody else may lead. So the figures are the worker's own, and the exchanges are finished as
    // from any thread.
    while let item = items.pop() {
      guard let exchange = item as? Exchange else { continue }
      let refusal: Refusal
      switch exchange.refusalCause {
      case .queueFull:
        core.queueFull.add()
        refusal = .queueFull
      case .bulkheadFull: refusal = .bulkheadFull
      case .over:
        // Its client has left, or has had an answer; its completion has been counted.
        if exchange.claim() { exchange.publish(nil) }
        continue
      }
      worker.withContext { context in
        _ = exchange.refuse(refusal, context: unsafeDowncast(context, to: WorkerContext.self))
      }
    }
  }

  func close() {
    guard let daemon else { return }
    self.daemon = nil
    // Aborts the process if a connection were suspended: a lane is closed only when it holds no exchange.
    MHD_stop_daemon(daemon)
  }

  private func carryOut(_ command: LaneCommand.Kind) {
    guard let daemon else { return }
    switch command {
    case .drain:
      guard !isDraining else { return }
      isDraining = true
      // Connections that wait in the backlog are refused from here on.
      let socket = MHD_quiesce_daemon(daemon)
      if socket >= 0 { Glibc.close(socket) }
    case .abort:
      isAborted = true
    case .expire:
      isExpired = true
      for exchange in live.map({ $0.takeUnretainedValue() }) {
        if exchange.stage == .waiting {
          exchange.storage.cancel()
          if exchange.refuse(.stopping, context: leaderContext) { figures.expired.add() }
        } else if let connection = exchange.connection {
          // A request that is still on its way, or an answer that its reader does not take: closed after a second's silence.
          _ = heddle_mhd_set_timeout(connection, 1)
        }
      }
    }
  }

  // MARK: exchanges, leader only

  /// A new exchange for a request whose first line has come.
  func begin(connection: OpaquePointer, target: UnsafeRawBufferPointer) -> Exchange {
    let exchange = spare.popLast() ?? Exchange(lane: self)
    exchange.connection = connection
    exchange.head.id = ids.next()
    exchange.head.setTarget(target)
    exchange.liveIndex = live.count
    live.append(Unmanaged.passUnretained(exchange))
    return exchange
  }

  /// libmicrohttpd has let go of an exchange.
  func end(_ exchange: Exchange, isComplete: Bool) {
    // The last one moves into its place.
    let last = live.removeLast()
    let place = exchange.liveIndex
    if place < live.count {
      live[place] = last
      last._withUnsafeGuaranteedRef { $0.liveIndex = place }
    }
    if exchange.deadlineLinks.isQueued { exchange.leaveDeadlines(&deadlines) }
    let before = exchange.state.set(.abandoned)
    if exchange.stage == .answered {
      if !isComplete { figures.aborted.add() }
    } else if exchange.stage != .head {
      figures.abandoned.add()
      exchange.storage.cancel()
      if before.contains(.finished) {
        exchange.answer?.release()
        exchange.answer = nil
      }
    }
    exchange.connection = nil
  }

  /// Keeps an exchange for the next request, if nobody else holds it.
  func recycle(_ exchange: consuming Exchange) {
    var exchange = exchange
    guard spare.count < HTTPLane.spareLimit, isKnownUniquelyReferenced(&exchange) else { return }
    exchange.reset()
    spare.append(exchange)
  }

  /// Puts a complete request into the pass's batch.
  func collect(_ exchange: Exchange) {
    exchange.collectedInPass = passNumber
    exchange.stage = .waiting
    guard let runtime = exchange.runtime else { preconditionFailure("a request without a route is not for the pool") }
    exchange.becomeRunnable(
      at: exchange.completeAt, isExpectedLong: runtime.pointee.estimate.isLong,
      isExpectedToWait: runtime.pointee.estimate.isWaiting, priority: runtime.pointee.priority,
      bulkhead: runtime.pointee.bulkhead)
    let queue = runtime.pointee.deadlineQueue
    if queue >= 0 { deadlines[queue].append(exchange) }
    batch.append(exchange)
  }

  /// The time of this pass, to the accuracy of a pass: read once.
  var now: Int64 {
    if clock == 0 { clock = heddle_now() }
    return clock
  }
}

extension Int64 {
  /// The product, or the largest number where it does not fit.
  fileprivate func multipliedClamped(by factor: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? .max : product
  }
}

/// Something that a lane's leader is told to do.
final class LaneCommand: WorkItem, @unchecked Sendable {
  // Unchecked only because the base class is: what is added is immutable.

  enum Kind: Sendable {
    /// Stop accepting, and close when nothing is left.
    case drain
    /// Answer with 503 whatever is not answered yet.
    case expire
    /// After that: do not wait any longer for clients that neither send nor take what they should.
    case abort
  }

  let kind: Kind
  init(_ kind: Kind) { self.kind = kind }
}
