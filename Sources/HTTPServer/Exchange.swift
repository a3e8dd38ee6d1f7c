import HTTPMessages
import Interleavings
import Metrics
import WorkerPool

/// One request and its answer, from the first line of the request to the moment libmicrohttpd lets go of it.
///
/// Three parties hold references: libmicrohttpd's connection (one, from creation to completion), the pool's queue or the worker
/// that runs it, and the lane's inbox. A worker never touches the connection, which may be freed under it.
final class Exchange: WorkItem, @unchecked Sendable {
  // Exclusive access is not checked at run time either: the same rules give it, and the check is dear.
  // Unchecked: `state` decides who may write `answer`; the fields marked as the leader's are handed on with leadership;
  // the request's storage is written by the leader before the exchange is queued and only read afterwards.

  /// Where the leader is with the request.
  enum Stage {
    /// The target has come; the head is not looked at yet.
    case head
    /// The body is coming.
    case body
    /// The request is complete and in the pool's hands.
    case waiting
    /// An answer has been queued.
    case answered
  }

  /// Decides between the finisher and the leader.
  let state = ExchangeState()

  /// The request.
  @exclusivity(unchecked) private(set) var storage: RequestStorage

  /// The same by its address: a look at it counts no reference, of which there would be a dozen for each request.
  @exclusivity(unchecked) private(set) var head: RequestHead

  /// What serving needs to know of the route; nil: none matched. The server's, which outlives its exchanges.
  @exclusivity(unchecked) var runtime: Unmanaged<RouteRuntime>?

  /// What the server's lanes share: the same as the lane's, and outlives it.
  let core: Unmanaged<ServiceCore>

  /// The route's number, or ``MetricKey/unmatched``.
  @exclusivity(unchecked) var route = MetricKey.unmatched

  /// See `Method.code`.
  @exclusivity(unchecked) var methodCode = Method.otherCode

  /// When the request was complete: CLOCK_MONOTONIC, nanoseconds.
  @exclusivity(unchecked) var completeAt: Int64 = 0

  /// The result, written by whoever claimed the exchange, before ``ExchangeState/Bits/finished``.
  @exclusivity(unchecked) var answer: Answer?

  /// Who made it.
  ///
  /// Unsafely unowned: a lane outlives its exchanges, since it stops its daemon, and the pool has ended its workers, before it goes;
  /// the counted form would cost two atomic operations at every look.
  unowned(unsafe) let lane: HTTPLane

  // The leader's.
  @exclusivity(unchecked) var stage = Stage.head
  @exclusivity(unchecked) var connection: OpaquePointer?
  /// Whose request it is; as long as there is a connection.
  @exclusivity(unchecked) var client: Unmanaged<ClientConnection>?
  /// The pass in which the request became complete: a second call in the same pass means nothing.
  @exclusivity(unchecked) var collectedInPass: UInt64 = 0
  /// Known already what the answer will be; the rest of the body is read and thrown away.
  @exclusivity(unchecked) var refusal: Refusal?
  @exclusivity(unchecked) var bodyLimit = 0
  /// The place in the lane's list of exchanges.
  @exclusivity(unchecked) var liveIndex = 0
  /// The place in the queue of those with the same time limit.
  @exclusivity(unchecked) var deadlineLinks = DeadlineLinks()
  @exclusivity(unchecked) var swallowed = 0

  /// Neighbours in a ``DeadlineQueue``.
  struct DeadlineLinks {
    var isQueued = false
    var previous: Unmanaged<Exchange>?
    var next: Unmanaged<Exchange>?
  }

  init(lane: HTTPLane) {
    self.lane = lane
    core = Unmanaged.passUnretained(lane.core)
    storage = RequestStorage()
    head = storage.head
    Interleaving.note(.exchangeMade)
  }

  deinit { Interleaving.note(.exchangeFreed) }

  /// Whether the server is on its way out.
  var isDraining: Bool { core._withUnsafeGuaranteedRef { $0.isDraining } }

  override func run(on worker: Worker) -> Int64 {
    // Made by HTTPService, so of this type: a checked cast would cost more than the look.
    guard let pointer = worker.contextPointer else { preconditionFailure("a worker without a context") }
    return Unmanaged<WorkerContext>.fromOpaque(pointer)._withUnsafeGuaranteedRef { perform(on: worker, context: $0) }
  }

  override func expireInQueue() {
    let refusal = Refusal(.serviceUnavailable, "the request waited too long for a thread; try again", retryAfter: 1)
    refuse(refusal, context: lane.core.monitorContext)
  }

  override func shedFromQueue() { refuse(.shed, context: lane.core.monitorContext) }

  /// It was answered for while it waited, or its client has left.
  override var isOver: Bool { !state.bits.isDisjoint(with: [.claimed, .abandoned]) }

  /// Makes the exchange as good as new. Leader, when nobody else holds a reference.
  func reset() {
    state.reset()
    // A handler may have kept its Request: the storage is then that handler's, and a new one is made.
    if isKnownUniquelyReferenced(&storage) {
      Unmanaged.passUnretained(storage)._withUnsafeGuaranteedRef { $0.reset() }
    } else {
      storage = RequestStorage()
      head = storage.head
    }
    runtime = nil
    route = MetricKey.unmatched
    methodCode = Method.otherCode
    answer = nil
    stage = .head
    connection = nil
    refusal = nil
    swallowed = 0
  }
}
