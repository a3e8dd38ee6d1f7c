import CPlatform
import Glibc
import Locks
import RunLoops
import Synchronization
import Testing

@testable import WorkerPool

/// Opened once, and passed by all who wait.
final class Gate: Sendable {
  private let lock = Lock("test.gate")
  private let condition: Condition
  private let isOpen = Atomic<Bool>(false)

  init() { condition = Condition("test.gate", lock: lock) }

  func open() {
    lock.withLock {
      isOpen.store(true, ordering: .relaxed)
      condition.broadcast()
    }
  }

  func wait() {
    lock.withLock {
      while !isOpen.load(ordering: .relaxed) { condition.wait() }
    }
  }
}

final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  @discardableResult func increment() -> Int { count.add(1, ordering: .acquiringAndReleasing).newValue }
  @discardableResult func decrement() -> Int { count.subtract(1, ordering: .acquiringAndReleasing).newValue }

  var value: Int { count.load(ordering: .acquiring) }
}

/// Waits for something that is sure to come. False after 20 s: then something is wrong, and the test goes on to say so.
func eventually(_ condition: () -> Bool) -> Bool {
  let deadline = Deadline.after(.seconds(20))
  while !condition() {
    if deadline.hasPassed { return false }
    usleep(500)
  }
  return true
}

/// An item that calls a closure.
final class Job: WorkItem, @unchecked Sendable {
  // Unchecked only because the base class is: what is added is immutable.
  private let body: @Sendable (Worker) -> Void
  private let onExpiry: @Sendable () -> Void

  init(onExpiry: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable (Worker) -> Void) {
    self.body = body
    self.onExpiry = onExpiry
  }

  override func run(on worker: Worker) -> Int64 {
    body(worker)
    return heddle_now()
  }

  override func expireInQueue() { onExpiry() }
}

/// A thread whose loop runs until it is stopped: it watches over a pool.
final class LoopThread: Sendable {
  let loop: ThreadRunLoop
  private let thread: OwnedThread

  init(_ name: String) throws {
    let made = Locked<ThreadRunLoop?>("test.loop", nil)
    let gate = Gate()
    thread = try OwnedThread.start(ThreadOptions(name: name)) {
      let loop = ThreadRunLoop.current
      loop.add(CustomSource("keeps the loop running") {}, to: .common)
      made.withLock { $0 = loop }
      gate.open()
      loop.run()
    }
    gate.wait()
    loop = try #require(made.withLock { $0 })
  }

  func stop() {
    loop.stop()
    thread.join()
  }
}

/// A pool that runs, and the thread that watches over it.
struct RunningPool {
  let pool: WorkerPool
  let prefix: String
  let whenFinished: Counter
  private let monitor: LoopThread

  private static let lastNumber = Counter()

  init(
    min: Int = 2, max: Int = 4, idle: Duration = .seconds(30), lanes: [any Lane] = [],
    _ change: (inout PoolConfiguration) -> Void = { _ in },
    makeContext: @escaping @Sendable () -> AnyObject? = { nil },
    sample: (@Sendable ([AnyObject]) -> PoolSample)? = nil
  ) throws {
    self = try RunningPool.make(
      min: min, max: max, idle: idle, lanes: lanes, change, makeContext: makeContext, sample: sample)
    try start()
  }

  /// One that is not started yet.
  static func make(
    min: Int = 2, max: Int = 4, idle: Duration = .seconds(30), lanes: [any Lane] = [],
    _ change: (inout PoolConfiguration) -> Void = { _ in },
    makeContext: @escaping @Sendable () -> AnyObject? = { nil },
    sample: (@Sendable ([AnyObject]) -> PoolSample)? = nil
  ) throws -> RunningPool {
    // A prefix of its own, by which its threads are found among those of other tests.
    let prefix = "t\(lastNumber.increment())"
    var configuration = PoolConfiguration(
      limits: PoolLimits(minThreads: min, maxThreads: max, idleTimeout: idle))
    configuration.namePrefix = prefix
    change(&configuration)
    let pool = try WorkerPool(configuration: configuration, lanes: lanes, makeContext: makeContext, sample: sample)
    return RunningPool(pool: pool, prefix: prefix, monitor: try LoopThread("\(prefix)monitor"))
  }

  private init(pool: WorkerPool, prefix: String, monitor: LoopThread) {
    self.pool = pool
    self.prefix = prefix
    self.monitor = monitor
    whenFinished = Counter()
  }

  func start() throws {
    let whenFinished = whenFinished
    try pool.start(monitorLoop: monitor.loop, whenFinished: { whenFinished.increment() })
  }

  @discardableResult func submit(_ body: @escaping @Sendable (Worker) -> Void) -> Bool {
    pool.submit(Job(body))
  }

  /// Closes the pool and waits until it is gone. Nothing may be blocked any more, and the lanes must be draining.
  func finish() {
    pool.close()
    leave()
  }

  func leave() {
    // Told first: who waits for the end takes the pool off the monitor's loop.
    #expect(eventually { whenFinished.value > 0 }, "nobody was told that the pool has finished: \(pool.dump)")
    #expect(pool.waitUntilFinished(before: .after(.seconds(20))), "the pool does not end: \(pool.dump)")
    monitor.stop()
    #expect(threadCount == 0)
  }

  /// As `leave`, for a pool whose start has failed: it may never have had a thread, so nobody is told of its end.
  func leaveUnstarted() {
    #expect(pool.waitUntilFinished(before: .after(.seconds(20))), "the pool does not end: \(pool.dump)")
    monitor.stop()
    #expect(threadCount == 0)
  }

  /// The pool's threads, as the kernel sees them.
  var threadCount: Int {
    guard let folder = opendir("/proc/self/task") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if readFile("/proc/self/task/\(name)/comm").hasPrefix("\(prefix)-") { count += 1 }
    }
    return count
  }

  var started: Int { pool.statistics().started }

  /// The loops of the workers that are there, by number.
  var loops: [ThreadRunLoop] {
    pool.roster.withLock { roster in roster.workers.sorted { $0.key < $1.key }.map(\.value.loop) }
  }
}

extension WorkerPool {
  /// What everybody does, for a test that waits in vain.
  var dump: String {
    let figures = statistics()
    let (pending, outside, waking, parked, vacant, isArmed) = look { scheduler in
      (
        scheduler.pending, scheduler.outside, scheduler.waking, scheduler.parked.map(\.name),
        scheduler.vacantLanes, scheduler.isArmed
      )
    }
    return """
      T \(figures.started), pending \(pending), outside \(outside), waking \(waking), parked \(parked), \
      vacant \(vacant), armed \(isArmed), queue \(figures.queueDepth), limits \(figures.limits), \
      workers \(figures.workers.map { "\($0.name) \($0.state) \($0.runsTotal)" })
      """
  }
}

func readFile(_ path: String) -> String {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  if descriptor < 0 { return "" }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 4096)
  let count = read(descriptor, &bytes, bytes.count)
  return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
}

/// The refusal that the system gives when it has no thread to give, made with a thread that cannot be.
func refusal() -> ThreadError? {
  do throws(ThreadError) {
    _ = try OwnedThread.start(ThreadOptions(name: "refused", stackSize: 1)) {}
    return nil
  } catch {
    return error
  }
}
