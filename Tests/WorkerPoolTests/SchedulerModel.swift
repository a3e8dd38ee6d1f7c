@testable import WorkerPool

/// What a model found wrong, and the steps that led there.
struct ModelError: Error, CustomStringConvertible {
  let description: String
}

/// Repeatable random numbers (SplitMix64: Steele, Lea, Flood, OOPSLA 2014).
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}

/// A pool as a state machine: members with program counters, lanes with requests on their way, a monitor, and the real
/// scheduler in the middle. One step is one section under the pool's lock, or the payment of a debt.
final class SchedulerModel {
  typealias Core = Scheduler<FakeMember>

  /// Where a member is between two steps.
  enum Place: Equatable {
    case next(Core.Origin)
    case running(Int)
    case handlingMessage
    case leading(Int)
    case parked
    case ended
  }

  final class Thread {
    let member: FakeMember
    var place = Place.next(.birth)
    var mayEnd = false
    /// The bulkhead of what it has run, until it gives the slot back.
    var slot: Unmanaged<Bulkhead>?

    init(_ number: Int) { member = FakeMember(number) }
  }

  final class LaneModel {
    var arrived: [Int] = []
    var isDraining = false
    var isClosed = false
    /// Items collected and not finished.
    var live = 0
  }

  var scheduler: Core
  var random: SeededNumbers
  var threads: [Thread] = []
  var lanes: [LaneModel]
  /// Threads to be made: each is made, or fails, in a later step.
  var spawnDebts = 0
  /// The monitor was asked to tick, and has not said that it rests.
  var isTicking = false
  var clock: Int64 = 0
  var lastItem = 0
  /// The lane that an item came from; -1: from outside.
  var laneOfItem: [Int: Int] = [:]
  var accepted = 0
  var finished = 0
  var expired = 0
  var shed = 0
  var refused = 0
  /// Taken out of a full queue because nobody waited for them.
  var dropped = 0
  /// What items may belong to: nothing; one at a time; two at a time of which two more may wait.
  let bulkheads = [nil, nil, nil, Bulkhead(limit: 1), Bulkhead(limit: 2, waitingLimit: 2), Bulkhead(limit: 1)]
  /// The last items made, of which some lose their clients.
  var lastItems: [NumberedItem] = []
  var failuresLeft: Int
  var isClosing = false
  var lastThread = -1
  /// The last steps: what, and a member's or an item's number.
  private var trace: [(StaticString, Int)] = []

  init(seed: UInt64, min: Int, max: Int, lanes laneCount: Int, queueLimit: Int, cores: Int) {
    random = SeededNumbers(seed: seed)
    lanes = (0..<laneCount).map { _ in LaneModel() }
    failuresLeft = 40
    scheduler = Core(
      limits: PoolLimits(minThreads: min, maxThreads: max), queueLimit: queueLimit, lanes: laneCount,
      quietTicks: 2, cores: cores, control: CoDel(target: 4, interval: 10))
    scheduler.beginStart()
    spawnDebts = min
    // A pool is handed out when its first threads have come.
    for _ in 0..<min { paySpawn(mayFail: false) }
  }

  /// Brings the first threads in, in any order.
  func start() throws {
    for thread in threads.shuffled(using: &random) { _ = try step(thread) }
    try checkInvariants()
  }

  /// Takes over what a section under the lock owes. The debts are paid at once or later, but never lost: a member that is
  /// not in them stays asleep for ever, a tick that is not in them never comes.
  func settle<Value>(_ name: StaticString, _ number: Int, _ step: (inout Core.Debts) -> Value) -> Value {
    var debts = Core.Debts()
    let value = step(&debts)
    for member in [debts.wake].compactMap({ $0 }) + debts.moreWakes { member.isWoken = true }
    if debts.spawn != nil { spawnDebts += 1 }
    if debts.tick { isTicking = true }
    note(name, number)
    return value
  }

  func note(_ name: StaticString, _ number: Int) {
    trace.append((name, number))
    if trace.count > 80 { trace.removeFirst(40) }
  }

  // MARK: members

  /// One step of a member; false: it cannot move by itself.
  func step(_ thread: Thread) throws -> Bool {
    switch thread.place {
    case .next(.handler) where thread.member.hasMessage && random.chance(50):
      if let slot = thread.slot {
        settle("leaveBulkhead", thread.member.number) { scheduler.leaveBulkhead(slot, debts: &$0) }
        thread.slot = nil
      }
      thread.place = .handlingMessage
    case .next(let origin):
      try next(thread, origin)
    case .handlingMessage:
      thread.member.hasMessage = false
      thread.place = .next(.handler)
    case .running(let item):
      finish(item)
      thread.place = .next(.handler)
    case .leading(let lane):
      try lead(thread, lane)
    case .parked:
      return try leavePark(thread)
    case .ended:
      return false
    }
    return true
  }

  private func next(_ thread: Thread, _ origin: Core.Origin) throws {
    let decision = settle("next", thread.member.number) {
      scheduler.next(thread.member, from: origin, leaving: thread.slot, debts: &$0)
    }
    thread.slot = nil
    switch decision {
    case .run(let item):
      try enter(thread, item)
    case .lead(let lane):
      try check(
        !threads.contains { $0.place == .leading(lane) }, "I1: two lead lane \(lane)")
      thread.place = .leading(lane)
    case .park(let mayEnd):
      try check(!scheduler.queue.hasRunnable && scheduler.vacantLanes == 0, "I4: parked over work")
      thread.mayEnd = mayEnd
      thread.place = .parked
    case .handleMessages:
      if random.chance(50) {
        settle("leaveForMessages", thread.member.number) { _ in scheduler.leaveForMessages() }
        thread.place = .handlingMessage
      } else {
        // It was only a wake-up.
        thread.member.hasMessage = false
        thread.place = .next(.elsewhere)
      }
    case .end(let reason):
      try check(scheduler.outside >= scheduler.openLanes, "I2: nobody is left to lead")
      let isAllowed =
        switch reason {
        case .idle: false
        case .drained: isClosing && scheduler.openLanes == 0 && !scheduler.queue.hasRunnable
        case .aboveMaximum: scheduler.started >= scheduler.limits.maxThreads
        }
      try check(isAllowed, "a member ended: \(reason)")
      thread.place = .ended
    }
  }

  private func enter(_ thread: Thread, _ item: WorkItem) throws {
    try check(scheduler.outside >= scheduler.openLanes, "I2: nobody is left to lead")
    thread.place = .running(SchedulerTable.number(item))
    thread.slot = item.bulkhead
  }

  private func finish(_ item: Int) {
    finished += 1
    release(item)
  }

  func release(_ item: Int) {
    guard let lane = laneOfItem.removeValue(forKey: item), lane >= 0 else { return }
    lanes[lane].live -= 1
  }

  private func lead(_ thread: Thread, _ index: Int) throws {
    let lane = lanes[index]
    if thread.member.hasMessage {
      settle("vacate", thread.member.number) { scheduler.vacate(lane: index, debts: &$0) }
      thread.place = .handlingMessage
      return
    }
    if lane.isDraining, lane.arrived.isEmpty, lane.live == 0 {
      settle("laneClosed", thread.member.number) { scheduler.laneClosed(index, debts: &$0) }
      lane.isClosed = true
      thread.place = .next(.elsewhere)
      return
    }
    var batch = WorkChain()
    var surplus = WorkChain()
    for number in lane.arrived {
      batch.append(makeItem(number))
      laneOfItem[number] = index
      lane.live += 1
      accepted += 1
    }
    lane.arrived = []
    if batch.isEmpty, !scheduler.queue.hasRunnable { return }
    let item = settle("publish", thread.member.number) {
      scheduler.publish(&batch, lane: index, refused: &surplus, debts: &$0)
    }
    while let item = surplus.pop() {
      if item.refusal == .over {
        dropped += 1
      } else {
        accepted -= 1
        refused += 1
      }
      release(SchedulerTable.number(item))
    }
    if let item { try enter(thread, item) }
  }

  /// A parked member moves when it was woken, when a message has come, or when its time is over.
  private func leavePark(_ thread: Thread) throws -> Bool {
    let member = thread.member
    if member.word == .called {
      guard member.isWoken || member.hasMessage else { return false }
      _ = member.consumeToken()
      if member.hasMessage {
        settle("handTokenOn", member.number) { scheduler.handTokenOn(debts: &$0) }
        thread.place = .handlingMessage
      } else {
        thread.place = .next(.token)
        try next(thread, .token)
      }
      return true
    }
    guard member.hasMessage else { return false }
    member.cancelPark()
    settle("leaveStack", member.number) { _ in scheduler.leaveStack(member) }
    thread.place = .handlingMessage
    return true
  }

  func timeOut(_ thread: Thread) throws {
    guard thread.place == .parked, thread.mayEnd, thread.member.word == .parked else { return }
    switch settle("endIdle", thread.member.number, { _ in scheduler.endIdle(thread.member) }) {
    case .ended:
      thread.member.cancelPark()
      thread.place = .ended
      try check(scheduler.started >= scheduler.limits.minThreads, "I7: below the minimum by an idle end")
    case .busy: break
    case .needed: thread.mayEnd = false
    }
  }

  func check(_ condition: Bool, _ text: @autoclosure () -> String) throws {
    if !condition { throw ModelError(description: "\(text())\n\(dump)") }
  }

  var dump: String {
    """
    T \(scheduler.started), pending \(scheduler.pending), outside \(scheduler.outside), waking \(scheduler.waking), \
    queue \(scheduler.queue.runnable) + \(scheduler.queue.held), vacant \(scheduler.vacantLanes) of \(scheduler.openLanes), armed \(scheduler.isArmed), \
    min \(scheduler.limits.minThreads), max \(scheduler.limits.maxThreads), ticking \(isTicking), spawn debts \(spawnDebts)
    \(threads.filter { $0.place != .ended }.map { "\($0.member.number): \($0.place), word \($0.member.word)" })
    \(trace.suffix(40).map { "\($0.0)(\($0.1))" }.joined(separator: " "))
    """
  }
}
