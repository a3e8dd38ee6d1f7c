import Testing

@testable import WorkerPool

/// Caps on how many items of a kind run at once, on the table.
@Suite struct BulkheadTests {
  /// A pool without lanes whose members are all parked.
  private func pool(_ members: Int, queueLimit: Int = 100) -> (SchedulerTable, [FakeMember]) {
    SchedulerTable.started(min: members, max: members, lanes: 0, queueLimit: queueLimit)
  }

  @Test func noMoreThanTheLimitRunAtOnce() {
    let (table, members) = pool(4)
    let bulkhead = Bulkhead(limit: 2)
    for number in 0..<4 { table.submit(NumberedItem(number, in: bulkhead)) }
    #expect(table.nextCalled(members[3]) == .run(0))
    table.tick(times: 2)
    #expect(table.nextCalled(members[2]) == .run(1))
    #expect(table.runnable == 0 && table.depth == 2)
    #expect(BulkheadFigures(bulkhead) == figures(bulkhead, running: 2, waiting: 2))
    // Each end gives the slot to the next one, in order.
    #expect(table.next(members[2], .handler) == .run(2))
    #expect(table.next(members[3], .handler) == .run(3))
    #expect(table.next(members[2], .handler) == .park(mayEnd: false))
    #expect(table.next(members[3], .handler) == .park(mayEnd: false))
    #expect(BulkheadFigures(bulkhead) == figures(bulkhead, running: 0, waiting: 0))
    #expect(bulkhead.taken == 0)
  }

  private func figures(_ bulkhead: Bulkhead, running: Int, waiting: Int) -> BulkheadFigures {
    let figures = BulkheadFigures(bulkhead)
    #expect(figures.running == running && figures.waiting == waiting)
    return figures
  }

  /// What is held back keeps nobody waiting, and calls nobody.
  @Test func othersPassWhatIsHeldBack() {
    let (table, members) = pool(3)
    let bulkhead = Bulkhead(limit: 1)
    table.submit(NumberedItem(0, in: bulkhead))
    #expect(table.nextCalled(members[2]) == .run(0))
    table.submit(NumberedItem(1, in: bulkhead))
    table.tick(times: 10)
    #expect(table.woken == [2], "a thread was called for an item that may not run")
    table.submit(2)
    #expect(table.woken == [2, 1])
    #expect(table.nextCalled(members[1]) == .run(2))
    #expect(table.next(members[1], .handler) == .park(mayEnd: false))
    #expect(table.depth == 1)
  }

  /// "A held item counts as a head that may run": a leader that collects nothing else keeps its lane and calls nobody.
  @Test func aLeaderKeepsItsLaneOverWhatIsHeldBack() {
    let (table, members) = SchedulerTable.started(min: 3, max: 3)
    let bulkhead = Bulkhead(limit: 1)
    #expect(table.publish([NumberedItem(0, in: bulkhead)], leader: members[0]).runs == 0)
    table.tick(times: 2)
    #expect(table.nextCalled(members[2]) == .lead(0))
    let answer = table.publish([NumberedItem(1, isLong: true, in: bulkhead)], leader: members[2])
    #expect(answer.runs == nil)
    #expect(table.vacant == 0 && table.outside == 2)
    #expect(table.woken == [2])
    // But the monitor watches, for the sake of the queue deadline.
    table.tick(times: 20)
    #expect(table.isArmed)
    #expect(table.woken == [2])
    #expect(table.next(members[0], .handler) == .run(1))
  }

  /// An idle member may end although something is held back: it is not for that one to run.
  @Test func whatIsHeldBackKeepsNoIdleMember() {
    let (table, members) = pool(3)
    let bulkhead = Bulkhead(limit: 1)
    table.submit(NumberedItem(0, in: bulkhead))
    table.nextCalled(members[2])
    table.submit(NumberedItem(1, in: bulkhead))
    table.setLimits(min: 1, max: 3)
    #expect(table.nextCalled(members[0]) == .park(mayEnd: true))
    #expect(table.endIdle(members[0]) == .ended)
  }

  /// Who had to wait for a slot goes before what came later, and behind what came earlier.
  @Test func aFreedItemTakesThePlaceThatItCameFor() {
    let (table, members) = pool(1)
    let bulkhead = Bulkhead(limit: 1)
    table.submit(NumberedItem(0, at: 0, in: bulkhead))
    #expect(table.nextCalled(members[0]) == .run(0))
    table.submit(NumberedItem(1, at: 1))
    table.submit(NumberedItem(2, at: 2, in: bulkhead))
    table.submit(NumberedItem(3, at: 3))
    table.submit(NumberedItem(4, at: 4, in: bulkhead))
    let order = (0..<4).map { _ in table.next(members[0], .handler) }
    #expect(order == [.run(1), .run(2), .run(3), .run(4)])
  }

  /// Of two bulkheads whose slots become free, the one that has waited longer goes first, whichever was freed first.
  @Test func freedItemsGoInTheOrderInWhichTheyCame() {
    let (table, members) = pool(3)
    let (first, second) = (Bulkhead(limit: 1), Bulkhead(limit: 1))
    table.submit(NumberedItem(0, at: 0, in: first))
    table.nextCalled(members[2])
    table.submit(NumberedItem(1, at: 1, in: second))
    table.nextCalled(members[1])
    table.submit(NumberedItem(2, at: 2, in: first))
    table.submit(NumberedItem(3, at: 3, in: second))
    table.leaveBulkhead(members[1])
    table.leaveBulkhead(members[2])
    #expect(table.nextCalled(members[0]) == .run(2))
    #expect(table.next(members[1], .handler) == .run(3))
  }

  /// "A freed slot brings nobody up": its owner handles a message instead of coming for more.
  @Test func aSlotThatIsLeftForAMessageCallsAnother() {
    let (table, members) = pool(2)
    let bulkhead = Bulkhead(limit: 1)
    table.submit(NumberedItem(0, in: bulkhead))
    table.nextCalled(members[1])
    table.submit(NumberedItem(1, in: bulkhead))
    #expect(table.woken == [1])
    table.leaveBulkhead(members[1])
    #expect(table.woken == [1, 0])
    #expect(table.nextCalled(members[0]) == .run(1))
    // It comes back without a slot.
    #expect(table.next(members[1], .handler) == .park(mayEnd: false))
    #expect(bulkhead.taken == 1)
  }

  /// … or by the monitor, when its owner ends.
  @Test func aSlotFreedByOneThatEndsIsSeenByTheMonitor() {
    let (table, members) = pool(3)
    let bulkhead = Bulkhead(limit: 1)
    table.submit(NumberedItem(0, in: bulkhead))
    table.nextCalled(members[2])
    table.submit(NumberedItem(1, in: bulkhead))
    table.setLimits(min: 1, max: 2)
    #expect(table.next(members[2], .handler) == .end(.aboveMaximum))
    for member in members[0...1] { if member.word == .called { table.nextCalled(member) } }
    #expect(table.runnable + bulkhead.running == 1)
    #expect(bulkhead.running == 1 || table.isArmed)
  }

  // MARK: limits

  @Test func whatIsHeldBackCountsForTheQueueLimit() {
    let (table, members) = pool(2, queueLimit: 2)
    let bulkhead = Bulkhead(limit: 1)
    table.submit(NumberedItem(0, in: bulkhead))
    table.nextCalled(members[1])
    #expect(table.submit(NumberedItem(1, in: bulkhead)).isTaken)
    #expect(table.submit(NumberedItem(2, in: bulkhead)).isTaken)
    #expect(!table.submit(3))
    #expect(table.rejected == 1)
  }

  @Test func aBulkheadMayRefuseByItself() {
    let (table, members) = SchedulerTable.started(min: 3, max: 3)
    let bulkhead = Bulkhead(limit: 1, waitingLimit: 1)
    #expect(table.publish([NumberedItem(0, in: bulkhead)], leader: members[0]).runs == 0)
    let items = (1...3).map { NumberedItem($0, in: bulkhead) } + [NumberedItem(4)]
    table.tick(times: 2)
    #expect(table.nextCalled(members[2]) == .lead(0))
    let answer = table.publish(items, leader: members[2])
    #expect(answer.runs == 4)
    #expect(answer.refused == [2, 3])
    #expect(items.map(\.refusal)[1...2] == [.bulkheadFull, .bulkheadFull])
    #expect(table.rejected == 0)
    #expect(table.scheduler.rejectedByBulkheads == 2)
    #expect(BulkheadFigures(bulkhead).refusedTotal == 2)
  }

  @Test func withoutRoomToWaitOnlyTheLimitIsTaken() {
    let (table, members) = pool(3)
    let bulkhead = Bulkhead(limit: 1, waitingLimit: 0)
    #expect(table.submit(NumberedItem(0, in: bulkhead)).isTaken)
    #expect(!table.submit(NumberedItem(1, in: bulkhead)).isTaken)
    #expect(table.nextCalled(members[2]) == .run(0))
    #expect(table.next(members[2], .handler) == .park(mayEnd: false))
    #expect(table.submit(NumberedItem(2, in: bulkhead)).isTaken)
  }

  // MARK: leaving without having run

  /// What is held back waits too long like anything else.
  @Test func whatIsHeldBackExpires() {
    let (table, members) = pool(2)
    let bulkhead = Bulkhead(limit: 1)
    table.submit(NumberedItem(0, at: 0, in: bulkhead))
    table.nextCalled(members[1])
    for number in 1...3 { table.submit(NumberedItem(number, at: Int64(number * 10), in: bulkhead)) }
    #expect(table.expire(before: 25) == [1, 2])
    #expect(table.depth == 1)
    #expect(table.next(members[1], .handler) == .run(3))
  }

  /// "The slot is not freed on expiry": an item that had a slot and expires in the queue hands it on.
  @Test func anExpiredItemHandsItsSlotOn() {
    let (table, members) = pool(1)
    let bulkhead = Bulkhead(limit: 1)
    table.submit(NumberedItem(0, at: 100))
    table.nextCalled(members[0])
    table.submit(NumberedItem(1, at: 10, in: bulkhead))
    table.submit(NumberedItem(2, at: 100, in: bulkhead))
    #expect(table.runnable == 1)
    #expect(table.expire(before: 50) == [1])
    #expect(table.runnable == 1)
    #expect(table.next(members[0], .handler) == .run(2))
    table.next(members[0], .handler)
    #expect(bulkhead.taken == 0)
  }

  /// Both had slots, or were freed, when all expire at once.
  @Test func aBulkheadIsEmptyWhenAllHasExpired() {
    let (table, members) = pool(1)
    let bulkhead = Bulkhead(limit: 2)
    table.submit(NumberedItem(0, at: 0, in: bulkhead))
    table.nextCalled(members[0])
    for number in 1...5 { table.submit(NumberedItem(number, at: Int64(number), in: bulkhead)) }
    table.leaveBulkhead(members[0])
    #expect(table.expire(before: 50).sorted() == [1, 2, 3, 4, 5])
    #expect(bulkhead.taken == 0 && table.depth == 0)
    #expect(table.expired == 5)
  }

  /// Whatever order the bulkheads empty in, what the others hold back is not forgotten.
  @Test(arguments: [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]) func everyBulkheadIsLookedAt(_ first: [Int]) {
    let (table, members) = pool(3)
    let bulkheads = (0..<3).map { _ in Bulkhead(limit: 1) }
    for (number, bulkhead) in bulkheads.enumerated() {
      table.submit(NumberedItem(number, at: 0, in: bulkhead))
      if number == 0 { table.nextCalled(members[2]) } else { table.tick(times: 2) }
      if number == 1 { table.nextCalled(members[1]) }
      if number == 2 { table.nextCalled(members[0]) }
    }
    for (number, bulkhead) in bulkheads.enumerated() { table.submit(NumberedItem(10 + number, at: 10, in: bulkhead)) }
    // These two give their slots to what they hold back, and hold nothing any more.
    for number in first { table.next(members[2 - number], .handler) }
    let rest = 3 - first[0] - first[1]
    #expect(table.expire(before: 20) == [10 + rest])
    #expect(table.depth == 0)
  }

  // MARK: drain

  /// A closed pool runs what is held back too, by those who have the slots; the others need not wait for it.
  @Test func closingRunsWhatIsHeldBack() {
    let (table, members) = pool(2)
    let bulkhead = Bulkhead(limit: 1)
    table.submit(NumberedItem(0, in: bulkhead))
    #expect(table.nextCalled(members[1]) == .run(0))
    for number in 1...2 { table.submit(NumberedItem(number, in: bulkhead)) }
    table.close()
    #expect(table.nextCalled(members[0]) == .end(.drained))
    #expect(table.next(members[1], .handler) == .run(1))
    #expect(table.next(members[1], .handler) == .run(2))
    #expect(table.next(members[1], .handler) == .end(.drained))
    #expect(table.threads == 0)
  }

  // MARK: items that nobody waits for

  @Test func itemsThatAreOverMakeRoom() {
    let (table, members) = pool(2, queueLimit: 3)
    let bulkhead = Bulkhead(limit: 1)
    table.submit(NumberedItem(0))
    table.nextCalled(members[1])
    let items = [NumberedItem(1, in: bulkhead), NumberedItem(2, in: bulkhead), NumberedItem(3, .low)]
    for item in items { table.submit(item) }
    #expect(!table.submit(4))
    table.tick()
    for item in items { item.isGivenUp = true }
    let (isTaken, over) = table.submit(NumberedItem(5))
    #expect(isTaken && over.sorted() == [1, 2, 3])
    #expect(items.allSatisfy { $0.refusal == .over })
    #expect(table.depth == 1 && bulkhead.taken == 0)
    #expect(table.rejected == 1)
  }

  /// The queue is looked through once between two ticks, and once for as many refusals as it is long: not at each.
  @Test func theQueueIsNotSweptForEveryRefusal() {
    let (table, members) = pool(1, queueLimit: 3)
    table.submit(0)
    table.nextCalled(members[0])
    let items = (1...3).map { NumberedItem($0) }
    for item in items { table.submit(item) }
    #expect(!table.submit(4))
    for item in items { item.isGivenUp = true }
    #expect((5...7).map { table.submit(NumberedItem($0)).isTaken } == [false, false, false])
    #expect(table.submit(NumberedItem(8)).over == [1, 2, 3])
  }
}
