import CPlatform
import Interleavings
public import RunLoops

extension RunLoopMode {
  /// The mode in which a worker's run loop watches the pool: a mode of its own, so that a handler may run its thread's
  /// loop in another mode, and a common one, so that what an application adds to a worker's loop is watched too.
  package static let worker = RunLoopMode("heddle.worker")
}

/// One long-lived thread of a pool. It lives in its run loop: what it does next is one turn of that loop.
///
/// The worker is the loop's driver (``RunLoopDriver``): it decides whether the loop goes on, sleeps on its own word as a
/// follower, or sleeps in a lane's epoll set as that lane's leader. There is no loop beside it.
public final class Worker: RunLoopDriver, Parkable, @unchecked Sendable {
  // Unchecked: all that changes belongs to the worker's own thread, and so does what is behind `context`; the rest is immutable or
  // atomic.

  private enum Phase {
    case next(Scheduler<Worker>.Origin)
    case parked(mayEnd: Bool, until: Int64)
    case leading(Int)
    case ended
  }

  /// The worker's number, from 1, never used again.
  package let id: Int

  /// `worker-1`, …
  package let name: String

  /// What the worker is doing.
  package let activity: WorkerActivity

  /// The worker's own run loop.
  package let loop: ThreadRunLoop

  /// What the user of the pool keeps for this worker: reached on the worker's thread alone.
  package let context: AnyObject?

  /// The context by its address, for those to whom counting a reference is too dear. Valid as long as the worker. Own thread only.
  package let contextPointer: UnsafeRawPointer?

  /// The last reading of the clock on this thread, CLOCK_MONOTONIC in nanoseconds: at the end of a pass, and of a run.
  package var clock: Int64 { reading }
  // A property of its own behind the public one: what another module reads directly would be checked there.
  @exclusivity(unchecked) private var reading: Int64 = 0

  /// The same, if it was made a moment ago, since a handler has just ended or the worker was called; else 0. Own thread only.
  package var freshClock: Int64 { isFresh ? reading : 0 }
  @exclusivity(unchecked) private var isFresh = false

  /// The bulkhead of the item that was run last, until its slot is given back.
  @exclusivity(unchecked) private var slot: Unmanaged<Bulkhead>?

  let pool: WorkerPool
  // On this thread alone, and never across a call: not checked for exclusive access at run time.
  @exclusivity(unchecked) private var phase = Phase.next(.birth)

  init(id: Int, name: String, pool: WorkerPool, loop: ThreadRunLoop, context: AnyObject?) {
    self.id = id
    self.name = name
    self.pool = pool
    self.loop = loop
    self.context = context
    contextPointer = context.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
    reading = heddle_now()
    activity = WorkerActivity(since: reading)
  }

  /// Calls `body` with the context, which must be there. Own thread only.
  package func withContext<Result>(_ body: (AnyObject) -> Result) -> Result {
    guard let context else { preconditionFailure("a worker of a pool that makes no contexts") }
    return body(context)
  }

  /// The worker of the calling thread, or nil on a thread that is none.
  package static var current: Worker? {
    guard let pointer = heddle_tls_get(HEDDLE_TLS_WORKER) else { return nil }
    return Unmanaged<Worker>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Whether the scheduler has let this worker go. Own thread only.
  var hasEnded: Bool {
    if case .ended = phase { true } else { false }
  }

  // MARK: Parkable, called under the pool's lock

  func prepareToPark() -> Bool { loop.prepareToPark() }

  func deliverToken() -> WakeUpDebt { loop.deliverToken() }

  // MARK: RunLoopDriver

  package func turn(in loop: ThreadRunLoop) -> RunLoopVerdict {
    switch phase {
    case .next(let origin): return next(from: origin)
    case .parked(let mayEnd, let until): return afterParking(mayEnd: mayEnd, until: until)
    case .leading(let lane): return lead(lane)
    case .ended: return .end
    }
  }

  /// The run loop has messages to handle: nobody may count on this thread meanwhile, so it gives up what it holds.
  package func willHandleMessages(in loop: ThreadRunLoop) {
    var debts = Scheduler<Worker>.Debts()
    // For all that is known they take long.
    isFresh = false
    Interleaving.reach(.beforeMessages)
    switch phase {
    case .parked:
      pool.decide { scheduler in
        if loop.consumeToken() {
          if Interleaving.isWrong(.messageEatsToken) { return scheduler.leaveForMessages() }
          scheduler.handTokenOn(debts: &debts)
        } else {
          loop.cancelPark()
          if Interleaving.isWrong(.messageOnStack) { return scheduler.leaveForMessages() }
          scheduler.leaveStack(self)
        }
      }
    case .leading(let lane):
      if Interleaving.isWrong(.messageKeepsLane) { return }
      pool.decide { $0.vacate(lane: lane, debts: &debts) }
    case .next(.elsewhere):
      pool.decide { $0.leaveForMessages() }
    case .next(.birth):
      pool.decide { $0.arriveForMessages(debts: &debts) }
      pool.workerArrived()
    case .next(.handler):
      guard let slot else { return }
      self.slot = nil
      pool.decide { $0.leaveBulkhead(slot, debts: &debts) }
    case .next(.token), .ended:
      return
    }
    // The scheduler takes who handles messages for somebody inside a handler.
    phase = .next(.handler)
    if Interleaving.isWrong(.vacatesQuietly) { return }
    pool.pay(debts)
  }

  package func wait(in descriptor: Int32, nanoseconds: Int64) -> Bool {
    guard case .leading(let lane) = phase else { return true }
    return pool.lanes[lane].sleep(nanoseconds: nanoseconds)
  }

  private func next(from origin: Scheduler<Worker>.Origin) -> RunLoopVerdict {
    Interleaving.reach(.beforeNext)
    var debts = Scheduler<Worker>.Debts()
    let decision = pool.decide { $0.next(self, from: origin, leaving: slot, debts: &debts) }
    slot = nil
    if case .birth = origin { pool.workerArrived() }
    pool.pay(debts)
    switch consume decision {
    case .run(let item):
      if case .handler = origin, isFresh {} else { reading = heddle_now() }
      run(item)
      return .again
    case .lead(let lane):
      if !isFresh { reading = heddle_now() }
      if Interleaving.isWrong(.twoLead) { takeLaneInSecondStep(lane) }
      phase = .leading(lane)
      loop.setPollWakeDescriptor(pool.lanes[lane].wakeDescriptor)
      activity.enter(.leading, at: clock)
      if Interleaving.isWrong(.newLeaderWaits), pool.lanes[lane].prepareToSleep() {
        return .poll(descriptor: pool.lanes[lane].pollDescriptor, until: .max)
      }
      return lead(lane)
    case .park(let mayEnd):
      return park(mayEnd: mayEnd)
    case .handleMessages:
      phase = .next(.elsewhere)
      return .again
    case .end(let reason):
      return end(reason)
    }
  }

  private func run(_ item: WorkItem) {
    Interleaving.reach(.beforeItem)
    // Before the handler, which may run this thread's loop itself.
    phase = .next(.handler)
    slot = item.bulkhead
    activity.enter(.running, at: clock)
    reading = item.run(on: self)
    isFresh = true
    activity.countRun()
  }

  // MARK: parking

  private func park(mayEnd: Bool) -> RunLoopVerdict {
    reading = heddle_now()
    if Interleaving.isWrong(.looksThenParks), !pushInSecondStep() { return .again }
    // Who is needed for the minimum sleeps without a limit, so that an idle pool makes no wake-up at all.
    let until = mayEnd ? clock &+ pool.idleNanoseconds : .max
    phase = .parked(mayEnd: mayEnd, until: until)
    activity.enter(.idle, at: clock)
    return .park(until: until)
  }

  private func afterParking(mayEnd: Bool, until: Int64) -> RunLoopVerdict {
    Interleaving.reach(.beforeIdleEnd)
    reading = heddle_now()
    enum Outcome { case called, ends, waits(until: Int64) }
    let outcome = pool.decide { scheduler -> Outcome in
      // Under the pool's lock the token is either there, or nobody will bring one before this member is off the stack.
      let isIgnored = Interleaving.isWrong(.tokenEnds) && mayEnd && clock >= until
      if !isIgnored, loop.consumeToken() { return .called }
      guard mayEnd, clock >= until else { return .waits(until: until) }
      switch scheduler.endIdle(self) {
      case .ended:
        loop.cancelPark()
        return .ends
      case .busy: return .waits(until: clock &+ pool.idleNanoseconds)
      case .needed: return .waits(until: .max)
      }
    }
    switch outcome {
    case .called:
      return next(from: .token)
    case .ends:
      return end(.idle)
    case .waits(let until):
      phase = .parked(mayEnd: until != .max, until: until)
      return .park(until: until)
    }
  }

  private func end(_ reason: EndReason) -> RunLoopVerdict {
    phase = .ended
    activity.enter(.ending, at: clock)
    loop.setPollWakeDescriptor(-1)
    pool.workerEnds(self, reason: reason)
    return .end
  }

  // MARK: leading

  private func lead(_ index: Int) -> RunLoopVerdict {
    let lane = pool.lanes[index]
    var pass = lane.pass(on: self)
    isFresh = false
    // Before anything else: a queue that is not empty is no reason to keep a drained lane open.
    let isHeldUp = Interleaving.isWrong(.stopsLast) && (!pass.batch.isEmpty || pool.hasQueuedItems)
    if pass.isDrained, pass.timeout != 0, !isHeldUp { return close(lane, index) }
    if Interleaving.isWrong(.ignoresZero), pass.timeout == 0 { pass.timeout = .max }
    if !pass.batch.isEmpty || pool.hasQueuedItems {
      var debts = Scheduler<Worker>.Debts()
      var refused = WorkChain()
      // For one request the time of the pass is good enough; the last of many must not count the first one's as its own. What a
      // former leader collected in its sleep, and left to this one, has an older time than this worker knows.
      reading = pass.clock != 0 && pass.batch.count == 1 ? max(pass.clock, reading) : heddle_now()
      Interleaving.reach(.beforePublish)
      let item = pool.decide {
        $0.publish(&pass.batch, lane: index, refused: &refused, debts: &debts)
      }
      if !Interleaving.isWrong(.paysLate) { pool.pay(debts) }
      if !refused.isEmpty {
        lane.refuse(refused, on: self)
        pass.timeout = 0
      }
      if let item {
        run(item)
        if Interleaving.isWrong(.paysLate) { pool.pay(debts) }
        return .again
      }
    }
    Interleaving.reach(.beforeSleepMark)
    guard pass.timeout != 0, lane.prepareToSleep() else { return .again }
    return .poll(descriptor: lane.pollDescriptor, until: Worker.moment(after: pass.timeout))
  }

  /// The moment that lies so many nanoseconds ahead; of one that is far, to some milliseconds, which costs a quarter to know.
  private static func moment(after nanoseconds: Int64) -> Int64 {
    if nanoseconds == .max { return .max }
    return (nanoseconds > 1_000_000_000 ? heddle_now_coarse() : heddle_now()) &+ nanoseconds
  }

  private func close(_ lane: any Lane, _ index: Int) -> RunLoopVerdict {
    var debts = Scheduler<Worker>.Debts()
    loop.setPollWakeDescriptor(-1)
    Interleaving.reach(.beforeStop)
    lane.close()
    Interleaving.reach(.beforeClosed)
    pool.decide { $0.laneClosed(index, debts: &debts) }
    pool.pay(debts)
    phase = .next(.elsewhere)
    return .again
  }
}
