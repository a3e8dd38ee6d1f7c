@testable import WorkerPool

/// A member of the pool as far as its scheduler can tell: a word that is awake, parked or called, and a mailbox that may hold
/// a message. No thread and no loop.
final class FakeMember: Parkable, @unchecked Sendable {
  // Unchecked: used by one thread alone, the test's.

  enum Word { case awake, parked, called }

  let number: Int
  private(set) var word = Word.awake
  /// A message waits in the member's loop: it must not park.
  var hasMessage = false
  /// The wake-up that goes with the call was made.
  var isWoken = false

  init(_ number: Int) { self.number = number }

  func prepareToPark() -> Bool {
    precondition(word == .awake, "member \(number) parks twice")
    if hasMessage { return false }
    word = .parked
    return true
  }

  func deliverToken() -> FakeMember {
    precondition(word == .parked, "member \(number) is called, but is not parked")
    word = .called
    return self
  }

  func consumeToken() -> Bool {
    guard word == .called else { return false }
    word = .awake
    isWoken = false
    return true
  }

  func cancelPark() {
    precondition(word == .parked, "member \(number) is not parked, or was called")
    word = .awake
  }
}

/// An item with a number, which nobody runs.
final class NumberedItem: WorkItem, @unchecked Sendable {
  // Unchecked only because the base class is: what is added is immutable.
  let number: Int
  /// Nobody waits for it any more. Changed by the test alone.
  nonisolated(unsafe) var isGivenUp = false

  init(
    _ number: Int, isLong: Bool = false, at moment: Int64 = 0, _ priority: WorkPriority = .normal,
    in bulkhead: Bulkhead? = nil
  ) {
    self.number = number
    super.init()
    becomeRunnable(
      at: moment, isExpectedLong: isLong, isExpectedToWait: false, priority: priority,
      bulkhead: bulkhead.map(Unmanaged.passUnretained))
  }

  override var isOver: Bool { isGivenUp }
}

/// A scheduler on the table, with its debts paid as soon as a step is over: each test drives it step by step.
final class SchedulerTable {
  /// What a member was told, in a form that can be compared.
  enum Told: Equatable {
    case run(Int)
    case lead(Int)
    case park(mayEnd: Bool)
    case handleMessages
    case end(EndReason)
  }

  var scheduler: Scheduler<FakeMember>
  /// The members that were woken, in order.
  private(set) var woken: [Int] = []
  /// Threads that were asked for.
  private(set) var spawns = 0
  /// Why the last one was.
  private(set) var spawnReason: Scheduler<FakeMember>.SpawnReason?
  /// How often the monitor was asked to tick.
  private(set) var ticks = 0
  /// The bulkheads of what members run, by the member's number.
  private var slots: [Int: Unmanaged<Bulkhead>] = [:]

  init(
    min: Int = 2, max: Int = 4, lanes: Int = 1, queueLimit: Int = 100, quietTicks: Int = 1, cores: Int = .max,
    control: CoDel? = nil
  ) {
    scheduler = Scheduler(
      limits: PoolLimits(minThreads: min, maxThreads: max), queueLimit: queueLimit, lanes: lanes,
      quietTicks: quietTicks, cores: cores, control: control)
  }

  /// A pool that has started: as many members as the minimum, which lead the lanes and park in the order of their numbers.
  static func started(
    min: Int = 2, max: Int = 4, lanes: Int = 1, queueLimit: Int = 100, quietTicks: Int = 1, cores: Int = .max,
    control: CoDel? = nil
  ) -> (SchedulerTable, [FakeMember]) {
    let table = SchedulerTable(
      min: min, max: max, lanes: lanes, queueLimit: queueLimit, quietTicks: quietTicks, cores: cores,
      control: control)
    table.scheduler.beginStart()
    let members = (0..<min).map(FakeMember.init)
    for member in members { table.next(member, .birth) }
    return (table, members)
  }

  // The figures, copied: the scheduler itself cannot be.
  var threads: Int { scheduler.started }
  var pending: Int { scheduler.pending }
  var outside: Int { scheduler.outside }
  var waking: Int { scheduler.waking }
  var depth: Int { scheduler.queue.count }
  var runnable: Int { scheduler.queue.runnable }
  var parked: [Int] { scheduler.parked.map(\.number) }
  var vacant: Int { scheduler.vacantLanes }
  var openLanes: Int { scheduler.openLanes }
  var isArmed: Bool { scheduler.isArmed }
  var isPressed: Bool { scheduler.isPressed }
  var rejected: UInt64 { scheduler.rejected }
  var expired: UInt64 { scheduler.expired }

  var peak: Int { scheduler.peak }
  var queuePeak: Int { scheduler.queuePeak }
  var isSaturated: Bool { scheduler.isSaturated }
  var saturatedSince: Int64? { scheduler.saturatedSince }

  func ended(_ reason: EndReason) -> UInt64 { scheduler.ended[reason] }
  func isDue(_ lane: Int) -> Bool { scheduler.lanes[lane].due }

  // MARK: steps

  @discardableResult func next(_ member: FakeMember, _ origin: Scheduler<FakeMember>.Origin) -> Told {
    let slot = origin == .handler ? slots.removeValue(forKey: member.number) : nil
    let decision = settle { scheduler.next(member, from: origin, leaving: slot, debts: &$0) }
    switch decision {
    case .run(let item):
      slots[member.number] = item.bulkhead
      return .run(SchedulerTable.number(item))
    case .lead(let lane): return .lead(lane)
    case .park(let mayEnd): return .park(mayEnd: mayEnd)
    case .handleMessages: return .handleMessages
    case .end(let reason): return .end(reason)
    }
  }

  /// A member that was called asks what to do.
  @discardableResult func nextCalled(_ member: FakeMember) -> Told {
    precondition(member.consumeToken(), "member \(member.number) was not called")
    return next(member, .token)
  }

  /// What the leader runs, or nil if it goes on leading; and the items that it got back.
  ///
  /// - Parameter leader: who publishes; needed where what it runs has a bulkhead
  @discardableResult func publish(
    _ items: [NumberedItem], lane: Int = 0, leader: FakeMember? = nil
  ) -> (runs: Int?, refused: [Int]) {
    var batch = WorkChain()
    var refused = WorkChain()
    for item in items { batch.append(item) }
    let item = settle { scheduler.publish(&batch, lane: lane, refused: &refused, debts: &$0) }
    precondition(batch.isEmpty, "publish has left something in the batch")
    if let leader { slots[leader.number] = item?.bulkhead }
    return (item.map(SchedulerTable.number), SchedulerTable.numbers(&refused))
  }

  @discardableResult func publish(_ numbers: Int..., lane: Int = 0) -> (runs: Int?, refused: [Int]) {
    publish(numbers.map { NumberedItem($0) }, lane: lane)
  }

  @discardableResult func submit(_ number: Int, isLong: Bool = false, at moment: Int64 = 0) -> Bool {
    submit(NumberedItem(number, isLong: isLong, at: moment)).isTaken
  }

  /// Whether the item was taken, and the items that had to make room for it.
  @discardableResult func submit(_ item: NumberedItem) -> (isTaken: Bool, over: [Int]) {
    var over = WorkChain()
    let isTaken = settle { scheduler.submit(item, over: &over, debts: &$0) }
    return (isTaken, SchedulerTable.numbers(&over))
  }

  /// A member that has run something of a bulkhead handles a message before it asks what to do.
  func leaveBulkhead(_ member: FakeMember) {
    guard let slot = slots.removeValue(forKey: member.number) else { preconditionFailure("it has no slot") }
    settle { scheduler.leaveBulkhead(slot, debts: &$0) }
  }

  @discardableResult func tick(waiting: Int = 0) -> Bool { settle { scheduler.tick(&$0, waiting: waiting) } }

  func tick(times: Int, waiting: Int = 0) { for _ in 0..<times { tick(waiting: waiting) } }

  func expire(before moment: Int64) -> [Int] {
    var chain = WorkChain()
    scheduler.takeExpired(before: moment, into: &chain)
    return SchedulerTable.numbers(&chain)
  }

  func shed(at now: Int64) -> [Int] {
    var chain = WorkChain()
    scheduler.shed(at: now, into: &chain)
    return SchedulerTable.numbers(&chain)
  }

  func vacate(lane: Int = 0) { settle { scheduler.vacate(lane: lane, debts: &$0) } }
  func handTokenOn() { settle { scheduler.handTokenOn(debts: &$0) } }
  func laneClosed(_ lane: Int = 0) { settle { scheduler.laneClosed(lane, debts: &$0) } }
  func endIdle(_ member: FakeMember) -> Scheduler<FakeMember>.IdleOutcome {
    let outcome = scheduler.endIdle(member)
    if outcome == .ended { member.cancelPark() }
    return outcome
  }
  func leaveStack(_ member: FakeMember) {
    member.cancelPark()
    scheduler.leaveStack(member)
  }
  func close() { settle { scheduler.close(debts: &$0) } }
  func spawnFailed(backoffTicks: Int = 3) {
    settle { scheduler.spawnFailed(backoffTicks: backoffTicks, debts: &$0) }
  }
  func setLimits(min: Int, max: Int) {
    settle { scheduler.setLimits(PoolLimits(minThreads: min, maxThreads: max), debts: &$0) }
  }

  /// Does a step and pays what it owes.
  private func settle<Value>(_ step: (inout Scheduler<FakeMember>.Debts) -> Value) -> Value {
    var debts = Scheduler<FakeMember>.Debts()
    let value = step(&debts)
    for member in [debts.wake].compactMap({ $0 }) + debts.moreWakes {
      member.isWoken = true
      woken.append(member.number)
    }
    if let reason = debts.spawn {
      spawns += 1
      spawnReason = reason
    }
    if debts.tick { ticks += 1 }
    return value
  }

  static func number(_ item: WorkItem) -> Int { (item as? NumberedItem)?.number ?? -1 }

  private static func numbers(_ chain: inout WorkChain) -> [Int] {
    var numbers: [Int] = []
    while let item = chain.pop() { numbers.append(number(item)) }
    return numbers
  }
}
