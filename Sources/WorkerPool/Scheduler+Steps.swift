import Interleavings

/// The steps of a worker: what to do next, and what to do with a pass.
extension Scheduler {
  /// *next*: the step of a member that has nothing in hand.
  ///
  /// - Parameter bulkhead: that of the item that the member has run, whose slot it gives back
  mutating func next(
    _ member: Member, from origin: Origin, leaving bulkhead: Unmanaged<Bulkhead>? = nil, debts: inout Debts
  ) -> Decision {
    switch origin {
    case .birth:
      arrive()
      outside += 1
    case .handler:
      outside += 1
      if let bulkhead { queue.hasRun(in: bulkhead) }
    case .token: waking -= 1
    case .elsewhere: break
    }
    // What is held back is left to those who have the slots: they come here again.
    if isClosing, openLanes == 0, !queue.hasRunnable { return .end(depart(.drained)) }
    // After a lower maximum was set. Somebody must be left who can lead.
    if started > limits.maxThreads, outside > openLanes { return .end(depart(.aboveMaximum)) }
    // One thread more than there are open lanes must stay out of handlers, else nobody could lead.
    if queue.hasRunnable, outside > openLanes, !hasVacantDueLane {
      guard let item = take(&debts) else { return .handleMessages }
      return .run(item)
    }
    if vacantLanes > 0, let lane = lanes.firstIndex(where: { $0.state == .vacant }) {
      if !Interleaving.isWrong(.twoLead) { hold(lane) }
      return .lead(lane)
    }
    // Here nothing that may run waits: with all lanes held, their leaders and this member are outside.
    if !Interleaving.isWrong(.looksThenParks), !push(member) { return .handleMessages }
    return .park(mayEnd: started > limits.minThreads)
  }

  /// A member takes a vacant lane.
  mutating func hold(_ lane: Int) {
    lanes[lane] = LaneSlot(state: .held)
    vacantLanes -= 1
  }

  /// A member enters the stack, unless a message is waiting for it.
  mutating func push(_ member: Member) -> Bool {
    guard member.prepareToPark() else { return false }
    parked.append(member)
    return true
  }

  /// What the leader does with what its pass collected. Items that the queue cannot take come back in `refused`, each with its cause.
  /// Nil: keep leading.
  mutating func publish(
    _ batch: inout WorkChain, lane: Int, refused: inout WorkChain, debts: inout Debts
  ) -> WorkItem? {
    while let item = batch.popUnmanaged() {
      if mayJoin(item, &refused) {
        queue.append(item)
      } else {
        refused.append(item)
      }
    }
    queuePeak = max(queuePeak, queue.count)
    guard queue.count > 0 else { return nil }
    arm(&debts)
    // What bulkheads hold back is nobody's to run, and no reason to call anybody.
    guard queue.hasRunnable else { return nil }
    guard outside > openLanes else {
      if hasFreeCore { bringUp(&debts) }
      return nil
    }
    lanes[lane] = LaneSlot(state: .vacant)
    vacantLanes += 1
    if queue.head?.isExpectedLong == true {
      lanes[lane].due = true
      bringUp(&debts)
    }
    return take(&debts)
  }

  /// An item from outside any lane. False: the queue is full, or the pool is closing. Items that had to make room come back in `over`.
  mutating func submit(_ item: WorkItem, over: inout WorkChain, debts: inout Debts) -> Bool {
    guard !isClosing else {
      rejected += 1
      return false
    }
    guard mayJoin(Unmanaged.passUnretained(item), &over) else { return false }
    queue.append(item)
    queuePeak = max(queuePeak, queue.count)
    arm(&debts)
    if queue.hasRunnable, hasFreeCore { bringUp(&debts) }
    return true
  }

  /// Whether the queue takes one more item; if not, the item is told why.
  @inline(__always)
  private mutating func mayJoin(_ item: Unmanaged<WorkItem>, _ over: inout WorkChain) -> Bool {
    if let bulkhead = item._withUnsafeGuaranteedRef({ $0.bulkhead }), refuse(item, by: bulkhead) { return false }
    if queue.count < queueLimit || makeRoom(&over) { return true }
    item._withUnsafeGuaranteedRef { $0.refusal = .queueFull }
    rejected += 1
    return false
  }

  private mutating func refuse(_ item: Unmanaged<WorkItem>, by bulkhead: Unmanaged<Bulkhead>) -> Bool {
    bulkhead._withUnsafeGuaranteedRef { bulkhead in
      guard bulkhead.isFull else { return false }
      bulkhead.refused += 1
      rejectedByBulkheads += 1
      item._withUnsafeGuaranteedRef { $0.refusal = .bulkheadFull }
      return true
    }
  }

  /// The queue is full: items that nobody waits for any more give their places up. Every item is looked at, so this is done at most
  /// once between two ticks, and once for as many items as the queue may hold.
  private mutating func makeRoom(_ over: inout WorkChain) -> Bool {
    refusedSinceSweep += 1
    guard maySweep || refusedSinceSweep > queueLimit else { return false }
    (refusedSinceSweep, maySweep) = (0, false)
    var dropped = WorkChain()
    queue.removeAllThatAreOver(into: &dropped)
    if !dropped.isEmpty { headSeen = false }
    while let item = dropped.popUnmanaged() {
      item._withUnsafeGuaranteedRef { $0.refusal = .over }
      over.append(item)
    }
    return queue.count < queueLimit
  }

  // A member that handles messages of its run loop runs code of the application, for as long as that takes. It is not
  // counted as outside meanwhile, else the last leader could go into a handler on its account; it comes back as from a handler.

  /// The leader gives the lane up without having anything to run: a message of its run loop comes first.
  mutating func vacate(lane: Int, debts: inout Debts) {
    outside -= 1
    lanes[lane] = LaneSlot(state: .vacant, due: true)
    vacantLanes += 1
    arm(&debts)
    bringUp(&debts)
  }

  /// A member that was parked, and not called, leaves the stack for a message of its run loop.
  mutating func leaveStack(_ member: Member) {
    removeFromStack(member)
    outside -= 1
  }

  /// A member that has nothing in hand handles a message of its run loop.
  mutating func leaveForMessages() { outside -= 1 }

  /// A member that has run an item of a bulkhead handles a message of its run loop first: others may take its slot meanwhile.
  mutating func leaveBulkhead(_ bulkhead: Unmanaged<Bulkhead>, debts: inout Debts) {
    queue.hasRun(in: bulkhead)
    guard queue.hasRunnable else { return }
    arm(&debts)
    if hasFreeCore { bringUp(&debts) }
  }

  /// A member was called but has a message to handle first: it hands the call on.
  mutating func handTokenOn(debts: inout Debts) {
    waking -= 1
    outside -= 1
    guard queue.hasRunnable || vacantLanes > 0 else { return }
    arm(&debts)
    bringUp(&debts)
  }

  /// A member that has just started handles a message of its run loop before anything else.
  mutating func arriveForMessages(debts: inout Debts) {
    arrive()
    guard queue.hasRunnable || vacantLanes > 0 else { return }
    arm(&debts)
    bringUp(&debts)
  }

  /// A thread that was being made is there.
  private mutating func arrive() {
    waking -= 1
    pending -= 1
    started += 1
    failuresInARow = 0
    peak = max(peak, started)
  }

  /// What becomes of a parked member whose idle time is over.
  enum IdleOutcome { case ended, busy, needed }

  /// The idle time of a parked member, not called, is over: it leaves the pool, or it cannot be spared for now because
  /// there is work about (`busy`), or because of the minimum (`needed`).
  mutating func endIdle(_ member: Member) -> IdleOutcome {
    guard started > limits.minThreads else { return .needed }
    guard !queue.hasRunnable, vacantLanes == 0 else { return .busy }
    removeFromStack(member)
    _ = depart(.idle)
    return .ended
  }

  /// The leader has closed its lane for good.
  mutating func laneClosed(_ lane: Int, debts: inout Debts) {
    lanes[lane].state = .closed
    openLanes -= 1
    if openLanes == 0 { wakeAll(&debts) }
  }

  /// No more work is to come.
  mutating func close(debts: inout Debts) {
    isClosing = true
    if openLanes == 0 { wakeAll(&debts) }
  }

  /// Takes the queue's head; the member that asked is inside a handler from now on.
  private mutating func take(_ debts: inout Debts) -> WorkItem? {
    guard let item = queue.pop() else { return nil }
    outside -= 1
    headSeen = false
    headTicks = 0
    if queue.hasRunnable {
      arm(&debts)
      if item.isExpectedLong, item.isExpectedToWait || hasFreeCore { bringUp(&debts) }
    }
    return item
  }

  /// A member that is outside any handler leaves the pool.
  private mutating func depart(_ reason: EndReason) -> EndReason {
    started -= 1
    outside -= 1
    ended[reason] += 1
    return reason
  }

  private mutating func removeFromStack(_ member: Member) {
    if let index = parked.lastIndex(where: { $0 === member }) { parked.remove(at: index) }
  }

  private var hasVacantDueLane: Bool {
    vacantLanes > 0 && lanes.contains { $0.state == .vacant && $0.due }
  }

  mutating func wakeAll(_ debts: inout Debts) {
    waking += parked.count
    for member in parked { debts.moreWakes.append(member.deliverToken()) }
    parked.removeAll()
  }
}
