import CMicroHTTPD
import CPlatform
import Glibc
import HTTPMessages
import Interleavings
import Locks
import Metrics
import WorkerPool

/// A lane: one libmicrohttpd daemon without a thread of its own, and the epoll set that its leader sleeps in.
///
/// Everything but ``post(_:)``, ``send(_:)`` and the figures is the leader's.
final class HTTPLane: Lane, @unchecked Sendable {
  // Unchecked: the leader's fields are handed on under the pool's lock; `inbox` and `figures` are made of atomics.

  /// libmicrohttpd's own epoll set, with the eventfd in it; or one around both: see ``watch()``.
  private(set) var pollDescriptor: Int32 = -1
  let wakeDescriptor: Int32
  let figures = LaneFigures()
  let core: ServiceCore
  let inbox = Inbox()

  // The leader's: one thread at a time, and no method of ours calls another in the middle of a change. That is what the run-time
  // check for exclusive access would verify at every use, for a third of this module's cost.
  @exclusivity(unchecked) private(set) var daemon: OpaquePointer?
  private var ownSet: Int32 = -1
  /// See ``watch(_:)``. Never changed once the lane is open.
  @exclusivity(unchecked) private(set) var sleepsInLibrary = false
  @exclusivity(unchecked) var passNumber: UInt64 = 0
  @exclusivity(unchecked) var batch = WorkChain()
  /// Exchanges to be used again: the lane owns one reference to each.
  @exclusivity(unchecked) var spare: [Unmanaged<Exchange>] = []
  /// Exchanges that libmicrohttpd holds, on its references: for a drain that has to end them.
  @exclusivity(unchecked) var live: [Unmanaged<Exchange>] = []
  private(set) var isDraining = false
  /// The lane closes although connections are in the middle of something.
  private var isAborted = false
  /// The drain has taken too long: what comes now is refused, since nobody would end it any more.
  private(set) var isExpired = false
  /// Requests with a time limit, by limit: see ``RouteRuntime/deadlineQueue``.
  @exclusivity(unchecked) var deadlines: [DeadlineQueue]
  @exclusivity(unchecked) var ids: RequestIDs
  /// See ``HeadCheck``.
  @exclusivity(unchecked) var hosts = HostMemo()
  /// Prebuilt answers that this lane has sent before.
  @exclusivity(unchecked) var sharedAnswers = SharedAnswers()
  @exclusivity(unchecked) var clients: ClientConnections
  /// The core's routes, which it keeps.
  let routes: Unmanaged<RouteTable>
  let runtimes: Unmanaged<RouteRuntimes>
  /// What the leading worker keeps: the figures that an answer without a handler goes to.
  @exclusivity(unchecked) var leaderContext: WorkerContext
  /// The worker that led last.
  @exclusivity(unchecked) var leader = 0
  /// The library has run since the last pass, when the leader woke in it.
  @exclusivity(unchecked) var hasRun = false
  /// What ``calls``, and the number of closed connections, were before it ran last.
  @exclusivity(unchecked) var callsBefore: UInt64 = 0
  @exclusivity(unchecked) var closedBefore: UInt64 = 0
  /// How often the library has called back.
  @exclusivity(unchecked) var calls: UInt64 = 0
  /// Passes in a row that the library asked for at once and in which it did not call back.
  @exclusivity(unchecked) var fruitlessPasses = 0
  /// When this pass began to collect requests; 0: not asked for yet.
  @exclusivity(unchecked) var clock: Int64 = 0

  /// How many such passes are made before they are put off: two or three are usual, after an answer was queued.
  static let patience = 16
  /// For how long, in nanoseconds. Whatever else happens on the lane ends it.
  static let fruitlessPause: Int64 = 5_000_000

  /// How many spare exchanges are kept: as many as are in progress at once on a busy lane.
  static let spareLimit = 256

  init(core: ServiceCore, number: Int) throws(ServiceError) {
    self.core = core
    ids = RequestIDs(lane: number)
    routes = Unmanaged.passUnretained(core.routes)
    runtimes = Unmanaged.passUnretained(core.runtimes)
    deadlines = core.runtimes.timeouts.map(DeadlineQueue.init)
    leaderContext = WorkerContext()
    clients = ClientConnections(limit: core.configuration.connectionTimeout.limitNanoseconds)
    wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard wakeDescriptor >= 0 else { throw .system("eventfd", errno) }
    live.reserveCapacity(64)
    spare.reserveCapacity(HTTPLane.spareLimit)
  }

  deinit {
    close()
    for exchange in spare { exchange.release() }
    if ownSet >= 0 { Glibc.close(ownSet) }
    if wakeDescriptor >= 0 { Glibc.close(wakeDescriptor) }
  }

  /// Starts the daemon on a socket that listens. Before the pool starts.
  func open(_ socket: consuming ListeningSocket) throws(ServiceError) {
    let started = MHDCallbacks.start(socket: socket.take(), lane: self, configuration: core.configuration)
    guard let started else { throw .system("MHD_start_daemon", errno) }
    daemon = started
    try watch(heddle_mhd_epoll_fd(started))
  }

  /// Makes the epoll set in which the leader sleeps.
  ///
  /// The eventfd is put into the library's own set, with a null pointer for its data: 0.9.75 takes that for the sign of its own wake-up
  /// channel, and passes it by. So the leader can sleep inside the library, and hears of a request and begins to read it with one system
  /// call. Other versions are not relied upon for this: there a set of our own holds both, at one more call for each sleep.
  private func watch(_ librarySet: Int32) throws(ServiceError) {
    sleepsInLibrary = HeadWalk.isPossible
    if !sleepsInLibrary {
      ownSet = epoll_create1(Int32(EPOLL_CLOEXEC))
      guard ownSet >= 0 else { throw .system("epoll_create1", errno) }
      // Level-triggered, whatever the library's own set is inside.
      try watch(librarySet, EPOLLIN.rawValue, in: ownSet)
    }
    pollDescriptor = sleepsInLibrary ? librarySet : ownSet
    // Edge-triggered: a wake-up is told once and needs no read. Writes add up in the counter, which never fills.
    try watch(wakeDescriptor, EPOLLIN.rawValue | EPOLLET.rawValue, in: pollDescriptor)
  }

  private func watch(_ descriptor: Int32, _ events: UInt32, in set: Int32) throws(ServiceError) {
    var event = epoll_event()
    event.events = events
    event.data.ptr = nil
    guard epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) == 0 else { throw .system("epoll_ctl", errno) }
  }

  // MARK: any thread

  /// Hands a finished exchange that was suspended back to the leader.
  func post(_ exchange: Exchange) {
    if postsWrongly(exchange) { return }
    deliver(exchange)
  }

  /// Tells the leader something. A lane without a leader gets one within ticks, since the monitor is armed then.
  func send(_ command: LaneCommand.Kind) { deliver(LaneCommand(command)) }

  private func deliver(_ message: WorkItem) {
    Interleaving.reach(.beforePush)
    guard inbox.push(message), !Interleaving.isWrong(.noWakeUp) else { return }
    Interleaving.reach(.beforeSignal)
    heddle_eventfd_signal(wakeDescriptor)
  }

  // MARK: Lane

  /// Nothing is unfinished; or what is has no handler, and nobody waits for it any longer. A suspended connection would have the library
  /// abort the process.
  var mayClose: Bool {
    live.isEmpty || isAborted && !live.contains { $0._withUnsafeGuaranteedRef { $0.stage == .waiting } }
  }

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

  func carryOut(_ command: LaneCommand.Kind) {
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

  // MARK: time, leader only

  /// The time of this pass, to the accuracy of a pass: read once.
  var now: Int64 {
    if clock == 0 { clock = heddle_now() }
    return clock
  }

  /// The same to some milliseconds, where that will do: a quarter of the cost.
  var recently: Int64 { clock != 0 ? clock : heddle_now_coarse() }
}
