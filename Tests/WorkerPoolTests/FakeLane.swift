import CPlatform
import Glibc
import Locks
import Synchronization

@testable import WorkerPool

/// A lane without sockets: a list of things that have come, an eventfd in an epoll set, and a word like an inbox's.
///
/// It watches over those who lead it: what they do wrong is a problem, noted for the test.
final class FakeLane: Lane, @unchecked Sendable {
  // Unchecked: `seenByLeader` is the leader's, handed on under the pool's lock; the rest is locked or atomic.

  private struct Arrivals {
    var items: [Job] = []
    var pings: [Gate] = []
    var isDraining = false
    var problems: [String] = []
    var leader: Worker?
  }

  private static let (empty, message, sleeping) = (0, 1, 2)

  let pollDescriptor: Int32
  let wakeDescriptor: Int32
  let passes = Counter()
  let refused = Counter()
  let finished = Counter()
  private let arrivals = Locked("test.lane", Arrivals())
  private let word = Atomic<Int>(FakeLane.empty)
  private let isLed = Atomic<Bool>(false)
  private let live = Counter()
  private let closed = Counter()
  /// Plain on purpose: a second leader is a data race that the sanitizer sees.
  private var seenByLeader = 0

  init() {
    pollDescriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    let result = epoll_ctl(pollDescriptor, EPOLL_CTL_ADD, wakeDescriptor, &event)
    precondition(result == 0, "epoll_ctl failed with error \(errno)")
  }

  deinit {
    Glibc.close(pollDescriptor)
    Glibc.close(wakeDescriptor)
  }

  // MARK: any thread

  /// An item comes in. False: the lane is draining.
  @discardableResult
  func produce(
    isLong: Bool = false, onExpiry: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable (Worker) -> Void
  ) -> Bool {
    let job = Job(onExpiry: { [self] in
      onExpiry()
      finish()
    }) { [self] worker in
      body(worker)
      finish()
    }
    job.isExpectedLong = isLong
    let isTaken = arrivals.withLock { arrivals in
      guard !arrivals.isDraining else { return false }
      arrivals.items.append(job)
      return true
    }
    if isTaken { announce() }
    return isTaken
  }

  /// So many items, each of which waits for the one that was produced after it.
  func produceChain(_ count: Int) {
    var own: Gate?
    for index in 0..<count {
      let (mine, next) = (own, index + 1 < count ? Gate() : nil)
      produce { _ in
        mine?.open()
        next?.wait()
      }
      own = next
    }
  }

  /// Something that the leader itself answers, in its next pass: opens the gate.
  func ping() -> Gate {
    let gate = Gate()
    let isClosed = arrivals.withLock { arrivals in
      arrivals.pings.append(gate)
      return arrivals.isDraining
    }
    precondition(!isClosed, "a draining lane is pinged")
    announce()
    return gate
  }

  func drain() {
    arrivals.withLock { $0.isDraining = true }
    announce()
  }

  var problems: [String] { arrivals.withLock { $0.problems } }
  /// Who made the last pass.
  var leader: Worker? { arrivals.withLock { $0.leader } }
  var isClosed: Bool { closed.value == 1 }

  private func announce() {
    if word.exchange(FakeLane.message, ordering: .acquiringAndReleasing) == FakeLane.sleeping {
      heddle_eventfd_signal(wakeDescriptor)
    }
  }

  /// An item is done with: the leader must hear of it, since a draining lane waits for the last one.
  private func finish() {
    finished.increment()
    live.decrement()
    announce()
  }

  private func note(_ problem: String) { arrivals.withLock { $0.problems.append(problem) } }

  // MARK: Lane

  func pass(on worker: Worker) -> LanePass {
    if isLed.exchange(true, ordering: .relaxed) { note("two leaders in a pass at once") }
    defer { isLed.store(false, ordering: .relaxed) }
    if closed.value > 0 { note("a pass on a closed lane") }
    if Worker.current !== worker { note("a pass for another worker") }
    seenByLeader += 1
    passes.increment()
    word.store(FakeLane.empty, ordering: .sequentiallyConsistent)
    heddle_eventfd_clear(wakeDescriptor)
    let (items, pings, isDraining) = arrivals.withLock { arrivals in
      let taken = (arrivals.items, arrivals.pings, arrivals.isDraining)
      arrivals.items = []
      arrivals.pings = []
      arrivals.leader = worker
      return taken
    }
    for ping in pings { ping.open() }
    let now = heddle_now()
    var batch = WorkChain()
    for item in items {
      item.enqueuedAt = now
      live.increment()
      batch.append(item)
    }
    return LanePass(batch: batch, timeout: .max, isDrained: isDraining && live.value == 0)
  }

  func prepareToSleep() -> Bool {
    word.compareExchange(
      expected: FakeLane.empty, desired: FakeLane.sleeping, ordering: .acquiringAndReleasing
    ).exchanged
  }

  func refuse(_ items: consuming WorkChain, on worker: Worker) {
    while items.pop() != nil {
      refused.increment()
      live.decrement()
    }
  }

  func close() {
    if closed.increment() != 1 { note("closed twice") }
    if isLed.load(ordering: .relaxed) { note("closed in the middle of a pass") }
    if live.value != 0 { note("closed with items that are not finished") }
    arrivals.withLock { $0.leader = nil }
  }
}
