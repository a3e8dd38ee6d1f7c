import CPlatform
import Interleavings
package import Locks
package import RunLoops
import Synchronization

/// A pool of long-lived threads, each in its own run loop, that leads lanes and runs work items.
///
/// Threads are made when work waits, and end when they have been idle for the idle time and there are more than the minimum.
/// Parked threads are called last in, first out, so that the hottest one works and the cold ones age out.
/// May be used from any thread.
package final class WorkerPool: @unchecked Sendable {
  // Unchecked: `scheduler` is reached under `lock` only; the rest is immutable, locked or atomic.

  /// What it was made with. The limits may have changed since: see ``limits``.
  package let configuration: PoolConfiguration

  /// What is led.
  package let lanes: [any Lane]

  /// What happened to the pool's threads.
  package let events: EventRing

  /// The pool's one lock, `P`: every scheduling decision is one section under it.
  private let lock = Lock("pool")
  // Memory of its own: a property would be checked for exclusive access at every use, which the lock gives already.
  private let scheduler: UnsafeMutablePointer<Scheduler<Worker>>

  let roster = Locked("pool.roster", Roster())
  let rosterChanged: Condition
  let monitor: Monitor
  let contexts: WorkerContexts
  private let queueDeadline: Int64
  private let queued = Atomic<Int>(0)
  private let idleTime: Atomic<Int64>
  let spawns = Atomic<UInt64>(0)
  let spawnFailures = Atomic<UInt64>(0)

  /// A pool that has no thread yet.
  ///
  /// - Parameters:
  ///   - configuration: sizes and limits
  ///   - lanes: what the workers lead; may be empty
  ///   - makeContext: makes what a worker keeps for its user. A context outlives its worker and passes to a later one.
  ///   - sample: tells what the user has done so far, given all contexts, for the figures of the pool's events; called about once
  ///     a second while there is something to do, on the monitor's thread or on one that reads the events. Nil: no figures
  /// - Throws: ``PoolError`` if the limits cannot serve so many lanes.
  package init(
    configuration: PoolConfiguration, lanes: [any Lane] = [],
    makeContext: @escaping @Sendable () -> AnyObject? = { nil },
    sample: (@Sendable (_ contexts: [AnyObject]) -> PoolSample)? = nil
  ) throws(PoolError) {
    if let problem = configuration.problem(lanes: lanes.count) { throw .badLimits(problem) }
    self.configuration = configuration
    self.lanes = lanes
    queueDeadline = configuration.queueDeadline.limitNanoseconds
    let contexts = WorkerContexts(make: makeContext)
    self.contexts = contexts
    var totals: (@Sendable () -> PoolSample)?
    if let sample { totals = { sample(contexts.all) } }
    events = EventRing(
      capacity: configuration.eventCapacity, interval: configuration.sampleNanoseconds, sample: totals)
    scheduler = .allocate(capacity: 1)
    scheduler.initialize(
      to: Scheduler(
        limits: configuration.limits, queueLimit: configuration.queueLimit, lanes: lanes.count,
        quietTicks: configuration.quietTicks, cores: configuration.cores, control: configuration.control))
    rosterChanged = Condition("pool.roster", lock: roster.lock)
    monitor = Monitor(interval: configuration.tickNanoseconds)
    idleTime = Atomic(configuration.limits.idleTimeout.limitNanoseconds)
  }

  deinit {
    scheduler.deinitialize(count: 1)
    scheduler.deallocate()
  }

  // MARK: life

  /// Brings the minimum of threads up, and returns when all of them have come.
  ///
  /// - Parameters:
  ///   - monitorLoop: the run loop of the thread that watches over the pool. It must run from now on until the pool is finished.
  ///   - whenFinished: called on that thread when the last worker of a closed pool has left
  /// - Throws: ``PoolError/cannotStart`` if the system does not give so many threads. The pool is closed then; the caller
  ///   drains its lanes and calls ``waitUntilFinished(before:)``.
  package func start(
    monitorLoop: ThreadRunLoop, whenFinished: @escaping @Sendable () -> Void = {}
  ) throws(PoolError) {
    monitor.attach(
      to: monitorLoop, tick: { [weak self] in self?.tick() },
      reap: { [weak self] in
        guard let self else { return }
        self.reap()
        if self.isFinished { whenFinished() }
      })
    let count = configuration.limits.minThreads
    decide { $0.beginStart() }
    var failure: ThreadError?
    for _ in 0..<count {
      if let error = spawn(reason: .start) { failure = error }
    }
    let arrived = roster.withLock { roster in
      while roster.arrived + roster.failedAtStart < count { rosterChanged.wait() }
      return roster.arrived
    }
    guard let failure else { return }
    close()
    throw .cannotStart(wanted: count, got: arrived, failure)
  }

  /// Takes no more work from outside. The threads end once every lane is closed and the queue is empty.
  package func close() {
    var debts = Scheduler<Worker>.Debts()
    decide { $0.close(debts: &debts) }
    pay(debts)
  }

  /// Whether every thread of a closed pool has ended.
  package var isFinished: Bool {
    look { $0.isClosing && $0.started == 0 && $0.pending == 0 }
  }

  /// Waits until every thread of a closed pool has ended, or the deadline has passed, and joins those that have ended.
  /// Not to be called from a worker. False: some thread is still there.
  @discardableResult
  package func waitUntilFinished(before deadline: Deadline = .distantFuture) -> Bool {
    let finished = roster.withLock { roster in
      while !roster.workers.isEmpty || !isFinished {
        if !rosterChanged.wait(until: deadline) { return false }
      }
      return true
    }
    reap()
    if finished { monitor.detach() }
    return finished
  }

  /// Lets go of the monitor although workers are still there: they are stuck, and nobody will watch them any more. Each lets go
  /// of the pool if it ever ends.
  package func abandon() { monitor.detach() }

  // MARK: work

  /// Hands an item to the pool. False: the queue is full, or the pool is closed; the item was not taken.
  @discardableResult
  package func submit(_ item: WorkItem) -> Bool {
    var debts = Scheduler<Worker>.Debts()
    // Let go after the lock is released: nobody waits for these.
    var over = WorkChain()
    item.enqueuedAt = heddle_now()
    let taken = decide { $0.submit(item, over: &over, debts: &debts) }
    pay(debts)
    return taken
  }

  /// The limits in force.
  package var limits: PoolLimits { look { $0.limits } }

  /// Changes the limits while the pool runs. Threads above a new maximum end as soon as they have nothing in hand.
  ///
  /// - Throws: ``PoolError/badLimits`` if they cannot serve the lanes; nothing is changed then.
  package func setLimits(_ limits: PoolLimits) throws(PoolError) {
    if let problem = limits.problem(lanes: lanes.count) { throw .badLimits(problem) }
    var debts = Scheduler<Worker>.Debts()
    idleTime.store(limits.idleTimeout.limitNanoseconds, ordering: .relaxed)
    decide { $0.setLimits(limits, debts: &debts) }
    pay(debts)
    note(.limitsChanged, reason: "min \(limits.minThreads), max \(limits.maxThreads)")
  }

  /// Adds an event of the pool's user: that a drain began, that a worker is stuck.
  ///
  /// - Parameter newcomers: threads that are there but have not asked the scheduler for work yet
  package func note(_ kind: PoolEvent.Kind, reason: String, worker: String? = nil, newcomers: Int = 0) {
    let (depth, threads) = look { ($0.queue.count, $0.started) }
    events.append(kind, reason: reason, worker: worker, queueDepth: depth, threads: threads + newcomers)
  }

  // MARK: for workers

  /// One section under `P`; how many items may run is noted for those who look without the lock.
  @inline(__always)
  func decide<Result: Sendable>(_ body: (inout Scheduler<Worker>) -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    let result = body(&scheduler.pointee)
    scheduler.pointee.noteSaturation(heddle_now)
    queued.store(scheduler.pointee.queue.runnable, ordering: .relaxed)
    return result
  }

  /// A look under `P` that changes nothing.
  func look<Result: Sendable>(_ body: (borrowing Scheduler<Worker>) -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(scheduler.pointee)
  }

  /// Whether items wait that may run, as of the last section under `P` that this thread knows of. A leader that misses one here is
  /// made up for by the monitor, which is armed while anything waits.
  var hasQueuedItems: Bool { queued.load(ordering: .relaxed) > 0 }

  var idleNanoseconds: Int64 {
    Interleaving.chooses(.idleTimeIsOver) ? 0 : idleTime.load(ordering: .relaxed)
  }

  /// Does what a section under `P` decided. Not under any lock.
  @inline(__always)
  func pay(_ debts: borrowing Scheduler<Worker>.Debts) {
    if debts.areOwed { payAll(debts) }
  }

  private func payAll(_ debts: borrowing Scheduler<Worker>.Debts) {
    Interleaving.reach(.beforeDebts)
    debts.wake?.pay()
    for wake in debts.moreWakes { wake.pay() }
    if debts.tick { monitor.arm() }
    if let reason = debts.spawn { _ = spawn(reason: reason) }
  }

  /// A worker has asked the scheduler for the first time, and is counted there.
  func workerArrived() {
    roster.withLock { roster in
      roster.arrived += 1
      rosterChanged.broadcast()
    }
  }

  func workerEnds(_ worker: Worker, reason: EndReason) {
    note(.ended, reason: reason.rawValue, worker: worker.name)
    if let context = worker.context { contexts.giveBack(context) }
  }

  // MARK: monitor

  /// One tick. Returns the nanoseconds until the next one; nil: there is nothing to look after.
  private func tick() -> Int64? {
    Interleaving.reach(.beforeTick)
    events.sampleIfDue()
    var debts = Scheduler<Worker>.Debts()
    var expired = WorkChain()
    var shed = WorkChain()
    let now = heddle_now()
    var oldest = queueDeadline > 0 ? now &- queueDeadline : Int64.min
    if queueDeadline > 0, Interleaving.chooses(.queueDeadlineIsOver) { oldest = .max }
    let waiting = hasQueuedItems ? waitingWorkers() : 0
    let (again, isPressed) = decide { scheduler in
      if oldest != .min { scheduler.takeExpired(before: oldest, into: &expired) }
      scheduler.shed(at: now, into: &shed)
      return (scheduler.tick(&debts, waiting: waiting), scheduler.isPressed)
    }
    pay(debts)
    while let item = expired.pop() {
      Interleaving.reach(.beforeExpiry)
      item.expireInQueue()
    }
    while let item = shed.pop() { item.shedFromQueue() }
    guard again else { return nil }
    return isPressed ? configuration.tickNanoseconds : configuration.tickNanoseconds * configuration.calmTicks
  }

  // MARK: figures

  var spawnedTotal: UInt64 { spawns.load(ordering: .relaxed) }
  var spawnFailuresTotal: UInt64 { spawnFailures.load(ordering: .relaxed) }
  package var contextsOfAllWorkers: [AnyObject] { contexts.all }
}
