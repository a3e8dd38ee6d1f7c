@testable import WorkerPool

/// What happens around the members: arrivals, the monitor, limits, drain; and what must hold at all times and at rest.
extension SchedulerModel {
  /// One random step of anybody.
  func randomStep() throws {
    switch random.below(100) {
    case 0..<50:
      if let thread = threads.randomElement(using: &random) { _ = try step(thread) }
    case 50..<60: arrive()
    case 60..<68: submit()
    case 68..<76: if spawnDebts > 0 { paySpawn(mayFail: true) }
    case 76..<86: tick(waiting: random.below(scheduler.started - scheduler.outside + 1))
    case 86..<90:
      if let thread = threads.randomElement(using: &random) { try timeOut(thread) }
    case 90..<95:
      if let thread = threads.randomElement(using: &random), thread.place != .ended, thread.place != .next(.birth) {
        thread.member.hasMessage = true
      }
    case 95: expire()
    case 96: shedWhatStands()
    case 97: changeLimits()
    case 98: lastItems.randomElement(using: &random)?.isGivenUp = true
    default: clock += 1
    }
    try checkInvariants()
  }

  func newItem() -> Int {
    lastItem += 1
    return lastItem
  }

  /// An item of any priority and any kind.
  func makeItem(_ number: Int) -> NumberedItem {
    let priority = [WorkPriority.high, .normal, .normal, .low][random.below(4)]
    let item = NumberedItem(
      number, isLong: random.chance(30), at: clock, priority, in: bulkheads[random.below(bulkheads.count)])
    lastItems.append(item)
    if lastItems.count > 8 { lastItems.removeFirst() }
    return item
  }

  private func arrive() {
    guard let lane = lanes.randomElement(using: &random), !lane.isDraining else { return }
    for _ in 0...random.below(3) { lane.arrived.append(newItem()) }
  }

  private func submit() {
    let number = newItem()
    let item = makeItem(number)
    var over = WorkChain()
    let isTaken = settle("submit", number) { scheduler.submit(item, over: &over, debts: &$0) }
    while let item = over.pop() {
      dropped += 1
      release(SchedulerTable.number(item))
    }
    if isTaken {
      accepted += 1
      laneOfItem[number] = -1
    } else {
      refused += 1
    }
  }

  func paySpawn(mayFail: Bool) {
    spawnDebts -= 1
    if mayFail, failuresLeft > 0, threads.count >= 2, random.chance(15) {
      failuresLeft -= 1
      settle("spawnFailed", 0) { scheduler.spawnFailed(backoffTicks: 4, debts: &$0) }
    } else {
      lastThread += 1
      threads.append(Thread(lastThread))
      note("made", lastThread)
    }
    threads.removeAll { $0.place == .ended }
  }

  /// - Parameter waiting: how many handlers the monitor takes for waiting ones; it may be wrong.
  func tick(waiting: Int) {
    guard isTicking else { return }
    isTicking = false
    // Like the timer's handler: it goes on ticking if the tick says so, or if it was armed anew.
    if settle("tick", 0, { scheduler.tick(&$0, waiting: waiting) }) { isTicking = true }
  }

  private func expire() {
    var chain = WorkChain()
    settle("expire", 0) { _ in scheduler.takeExpired(before: clock - 20, into: &chain) }
    while let item = chain.pop() {
      expired += 1
      release(SchedulerTable.number(item))
    }
  }

  private func shedWhatStands() {
    clock += 1
    var chain = WorkChain()
    settle("shed", 0) { _ in scheduler.shed(at: clock, into: &chain) }
    while let item = chain.pop() {
      shed += 1
      release(SchedulerTable.number(item))
    }
  }

  private func changeLimits() {
    guard !isClosing else { return }
    let least = lanes.count + 1 + random.below(3)
    let most = least + random.below(4)
    settle("setLimits", least * 100 + most) {
      scheduler.setLimits(PoolLimits(minThreads: least, maxThreads: most), debts: &$0)
    }
  }

  func drain() {
    isClosing = true
    for lane in lanes { lane.isDraining = true }
    settle("close", 0) { scheduler.close(debts: &$0) }
  }

  // MARK: what must hold

  /// The scheduler's books agree with where the members are, and the invariants of the protocol hold.
  func checkInvariants() throws {
    var count = Count(lanes: lanes.count)
    for thread in threads { count.add(thread) }
    let unborn = spawnDebts + count.unborn
    try check(scheduler.started == count.born, "T is \(scheduler.started), but there are \(count.born)")
    try check(scheduler.pending == unborn, "pending is \(scheduler.pending), but there are \(unborn)")
    let outside = count.born - count.inside
    try check(scheduler.outside == outside, "outside is \(scheduler.outside), but there are \(outside)")
    let waking = count.called + unborn
    try check(scheduler.waking == waking, "waking is \(scheduler.waking), but there are \(waking)")
    try check(scheduler.parked.count == count.parked, "the stack holds others than are parked")
    try check(
      scheduler.parked.allSatisfy { $0.word == .parked }, "one on the stack is not parked, or was called")
    for index in lanes.indices {
      let state = scheduler.lanes[index].state
      try check(
        count.leaders[index] == (state == .held ? 1 : 0), "I1: lane \(index) has \(count.leaders[index]) leaders")
      try check(lanes[index].isClosed == (state == .closed), "lane \(index) is closed, or not")
    }
    let isNeeded = scheduler.vacantLanes > 0 || scheduler.queue.count > 0
    try check(!isNeeded || scheduler.isArmed, "I3: not armed")
    try check(scheduler.isArmed == isTicking, "armed, but nobody ticks, or the other way round")
    try check(scheduler.queue.count <= scheduler.queueLimit, "the queue is too long")
    try check(
      accepted == finished + expired + shed + dropped + count.running + scheduler.queue.count,
      "an item was lost, or is there twice")
    try checkBulkheads()
  }

  /// Never more than the limit run; every slot is somebody's; and nothing is held back while a slot is free.
  private func checkBulkheads() throws {
    var (held, queued) = (0, 0)
    for bulkhead in bulkheads.compactMap({ $0 }) {
      let running = threads.count { $0.slot?.toOpaque() == Unmanaged.passUnretained(bulkhead).toOpaque() }
      try check(running == bulkhead.running, "\(running) run, but the bulkhead believes \(bulkhead.running)")
      try check(running <= bulkhead.limit, "more run at once than may")
      try check(bulkhead.taken <= bulkhead.limit, "more slots than there are")
      try check(bulkhead.held.isEmpty || bulkhead.taken == bulkhead.limit, "held back although a slot is free")
      try check(bulkhead.held.count <= bulkhead.waitingLimit ?? .max, "too many are held back")
      held += bulkhead.held.count
      queued += bulkhead.taken - running
    }
    try check(scheduler.queue.held == held, "\(held) are held back, but the queue believes \(scheduler.queue.held)")
    try check(queued <= scheduler.queue.runnable, "a slot was lost")
    let byPriority = WorkPriority.allCases.reduce(0) { $0 + scheduler.queue.count(of: $1) }
    try check(byPriority == scheduler.queue.count, "the lines do not add up")
    try check(scheduler.queue.hasRunnable == (scheduler.queue.runnable > 0), "a line is forgotten")
  }

  /// How many members are where.
  private struct Count {
    var born = 0
    var unborn = 0
    var inside = 0
    var running = 0
    var called = 0
    var parked = 0
    var leaders: [Int]

    init(lanes: Int) { leaders = Array(repeating: 0, count: lanes) }

    mutating func add(_ thread: Thread) {
      switch thread.place {
      case .ended: return
      case .next(.birth):
        unborn += 1
        return
      case .running:
        running += 1
        inside += 1
      case .handlingMessage, .next(.handler): inside += 1
      case .leading(let lane): leaders[lane] += 1
      case .next, .parked: break
      }
      born += 1
      switch thread.member.word {
      case .awake: break
      case .parked: parked += 1
      case .called: called += 1
      }
    }
  }

  /// Everybody goes on until nothing moves any more; with `stuck` those inside handlers stay there.
  func rest(stuck: Bool) throws {
    for _ in 0..<400 {
      var hasMoved = true
      while hasMoved {
        hasMoved = false
        while spawnDebts > 0 {
          paySpawn(mayFail: false)
          hasMoved = true
        }
        for thread in threads {
          if stuck, case .running = thread.place { continue }
          if case .leading(let lane) = thread.place, isAsleep(lane, thread) { continue }
          if try step(thread) { hasMoved = true }
          try checkInvariants()
        }
      }
      if !isTicking { return }
      // Handlers that are stuck wait.
      tick(waiting: stuck ? scheduler.started - scheduler.outside : 0)
      try checkInvariants()
    }
    // It may tick for ever only if something is wanting that only a handler's end can give.
    try check(stuck, "the monitor does not come to rest")
  }

  /// The leader has nothing to do in a pass: it sleeps.
  private func isAsleep(_ index: Int, _ thread: Thread) -> Bool {
    let lane = lanes[index]
    let closes = lane.isDraining && lane.live == 0
    return lane.arrived.isEmpty && !thread.member.hasMessage && !closes
  }

  /// Nothing is stranded.
  func checkAtRest(stuck: Bool) throws {
    try check(scheduler.vacantLanes == 0, "at rest a lane has no leader")
    try check(scheduler.waking == 0 && scheduler.pending == 0, "at rest somebody is on the way")
    if !isClosing {
      try check(scheduler.started >= scheduler.limits.minThreads, "I7: at rest below the minimum")
    }
    if stuck {
      let isExhausted =
        scheduler.outside <= scheduler.openLanes && scheduler.started >= scheduler.limits.maxThreads
      try check(!scheduler.queue.hasRunnable || isExhausted, "at rest an item waits, though somebody could run it")
    } else {
      try check(scheduler.queue.count == 0, "at rest an item waits")
      try check(bulkheads.allSatisfy { $0?.taken ?? 0 == 0 }, "at rest a slot is taken")
      try check(!scheduler.isArmed, "at rest the monitor ticks")
      try check(
        scheduler.started <= scheduler.limits.maxThreads || isClosing, "at rest there are more than the maximum")
    }
    if isClosing, !stuck {
      try check(scheduler.started == 0, "drained, but \(scheduler.started) threads are left")
      try check(scheduler.openLanes == 0, "drained, but a lane is open")
    }
  }
}
