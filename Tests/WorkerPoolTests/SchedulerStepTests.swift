import Testing

@testable import WorkerPool

/// The steps of the scheduler, one by one: what each answers and what it changes.
@Suite struct SchedulerStepTests {
  @Test func theFirstMemberLeadsAndTheOthersPark() {
    let table = SchedulerTable(min: 3)
    table.scheduler.beginStart()
    #expect(table.pending == 3)
    #expect(table.threads == 0)
    #expect(table.next(FakeMember(0), .birth) == .lead(0))
    #expect(table.next(FakeMember(1), .birth) == .park(mayEnd: false))
    #expect(table.next(FakeMember(2), .birth) == .park(mayEnd: false))
    #expect(table.pending == 0)
    #expect(table.waking == 0)
    #expect(table.threads == 3)
    #expect(table.outside == 3)
    #expect(!table.isArmed)
    #expect(table.ticks == 0)
  }

  @Test func everyLaneGetsALeader() {
    let table = SchedulerTable(min: 4, lanes: 3)
    table.scheduler.beginStart()
    let told = (0..<4).map { table.next(FakeMember($0), .birth) }
    #expect(told == [.lead(0), .lead(1), .lead(2), .park(mayEnd: false)])
  }

  @Test func aSubmittedItemCallsTheHottestAndRuns() {
    let (table, members) = SchedulerTable.started(min: 3)
    #expect(table.submit(7))
    #expect(table.woken == [2])
    #expect(table.waking == 1)
    #expect(table.nextCalled(members[2]) == .run(7))
    #expect(table.waking == 0)
    #expect(table.outside == 2)
    #expect(table.next(members[2], .handler) == .park(mayEnd: false))
    #expect(table.outside == 3)
  }

  /// Last in, first out: the hottest thread works and the cold ones age out.
  @Test func parkedMembersAreCalledLastInFirstOut() {
    let (table, members) = SchedulerTable.started(min: 4, max: 4, lanes: 0)
    #expect(table.parked == [0, 1, 2, 3])
    for number in 0..<10 {
      table.submit(number)
      #expect(table.nextCalled(members[3]) == .run(number))
      table.next(members[3], .handler)
    }
    #expect(table.woken.allSatisfy { $0 == 3 })
    table.submit(10)
    table.nextCalled(members[3])
    table.submit(11)
    #expect(table.woken.last == 2)
  }

  @Test func itemsRunFirstInFirstOut() {
    let (table, members) = SchedulerTable.started(min: 2, max: 2, lanes: 0)
    for number in 0..<5 { table.submit(number) }
    var told = [table.nextCalled(members[1])]
    for _ in 1..<5 { told.append(table.next(members[1], .handler)) }
    #expect(told == (0..<5).map { .run($0) })
  }

  @Test func aBatchRunsInOrderBehindWhatWaits() {
    let (table, members) = SchedulerTable.started(min: 2, max: 2)
    table.submit(0)
    #expect(table.publish(1, 2).runs == 0)
    #expect(table.nextCalled(members[1]) == .lead(0))
    #expect(table.next(members[0], .handler) == .run(1))
    #expect(table.publish().runs == nil)
    #expect(table.next(members[0], .handler) == .run(2))
  }

  /// What the queue cannot take comes back, the latest ones, in their order.
  @Test func theQueueLimitGivesTheSurplusBackInOrder() {
    let (table, _) = SchedulerTable.started(min: 2, max: 2, queueLimit: 3)
    table.submit(0)
    let answer = table.publish(1, 2, 3, 4, 5)
    #expect(answer.refused == [3, 4, 5])
    #expect(answer.runs == 0)
    #expect(table.rejected == 3)
    #expect(table.depth == 2)
    #expect(table.queuePeak == 3)
  }

  @Test func aFullQueueRefusesWhatIsSubmitted() {
    let (table, _) = SchedulerTable.started(min: 2, max: 2, lanes: 0, queueLimit: 2)
    #expect(table.submit(0))
    #expect(table.submit(1))
    #expect(!table.submit(2))
    #expect(table.rejected == 1)
    #expect(table.depth == 2)
  }

  @Test func aLeaderWithNothingToPublishKeepsItsLane() {
    let (table, _) = SchedulerTable.started()
    #expect(table.publish().runs == nil)
    #expect(table.vacant == 0)
    #expect(!table.isArmed)
  }

  @Test func theLeaderRunsItsBatchAndLeavesItsLane() {
    let (table, _) = SchedulerTable.started()
    #expect(table.publish(1).runs == 1)
    #expect(table.vacant == 1)
    #expect(!table.isDue(0))
    #expect(table.outside == 1)
    // A short one: nobody is woken for it, the monitor watches.
    #expect(table.woken.isEmpty)
    #expect(table.ticks == 1)
  }

  /// A long one: the lane gets another leader before the handler is entered.
  @Test func aLongItemIsPrecededByAPromotion() {
    let (table, members) = SchedulerTable.started()
    #expect(table.publish([NumberedItem(1, isLong: true)]).runs == 1)
    #expect(table.isDue(0))
    #expect(table.woken == [1])
    #expect(table.nextCalled(members[1]) == .lead(0))
    #expect(!table.isDue(0))
  }

  @Test func aMemberBehindALongItemIsCalledForTheRest() {
    let (table, members) = SchedulerTable.started(min: 3, max: 3, lanes: 0)
    table.submit(0, isLong: true)
    table.submit(1)
    #expect(table.woken == [2])
    #expect(table.nextCalled(members[2]) == .run(0))
    #expect(table.woken == [2, 1])
  }

  /// A lane that is due is led before anything else is worked on.
  @Test func aDueLaneIsLedBeforeWork() {
    let (table, members) = SchedulerTable.started(min: 3)
    table.publish([NumberedItem(1, isLong: true)])
    table.submit(2)
    #expect(table.nextCalled(members[2]) == .lead(0))
    #expect(table.depth == 1)
  }

  /// One that is not is left for the monitor, or for who comes next.
  @Test func workComesBeforeALaneThatIsNotDue() {
    let (table, members) = SchedulerTable.started(min: 3)
    table.submit(0)
    table.nextCalled(members[2])
    #expect(table.publish(1, 2).runs == 1)
    #expect(table.next(members[2], .handler) == .run(2))
    #expect(table.vacant == 1)
  }

  @Test func aMemberWithAMessageDoesNotPark() {
    let (table, members) = SchedulerTable.started()
    table.submit(1)
    #expect(table.nextCalled(members[1]) == .run(1))
    members[1].hasMessage = true
    #expect(table.next(members[1], .handler) == .handleMessages)
    #expect(table.parked.isEmpty)
    members[1].hasMessage = false
    #expect(table.next(members[1], .elsewhere) == .park(mayEnd: false))
  }

  @Test func onlyMembersAboveTheMinimumMayEnd() {
    let (table, members) = SchedulerTable.started(min: 2, max: 3, lanes: 0)
    table.submit(1)
    table.nextCalled(members[1])
    table.submit(2)
    table.nextCalled(members[0])
    table.submit(3)
    #expect(table.spawns == 1)
    let third = FakeMember(2)
    #expect(table.next(third, .birth) == .run(3))
    #expect(table.next(third, .handler) == .park(mayEnd: true))
    #expect(table.peak == 3)
  }

  @Test func aVacatedLaneIsDueAndCallsAFollower() {
    let (table, members) = SchedulerTable.started()
    table.vacate()
    #expect(table.isDue(0))
    #expect(table.isArmed)
    #expect(table.woken == [1])
    #expect(table.nextCalled(members[1]) == .lead(0))
  }

  @Test func whoLeavesTheStackIsNotCalled() {
    let (table, members) = SchedulerTable.started(min: 3, max: 3, lanes: 0)
    table.leaveStack(members[2])
    #expect(table.parked == [0, 1])
    table.submit(1)
    #expect(table.woken == [1])
  }

  @Test func onlyExpiredItemsAreTakenAndFromTheHeadOn() {
    let (table, members) = SchedulerTable.started(min: 2, max: 2, lanes: 0)
    for number in 0..<5 { table.submit(number, at: Int64(number * 10)) }
    #expect(table.expire(before: 30) == [0, 1, 2])
    #expect(table.expired == 3)
    #expect(table.depth == 2)
    #expect(table.nextCalled(members[1]) == .run(3))
  }

  @Test func aPoolIsSaturatedWhileNobodyIsLeftToRunAnything() {
    let (table, members) = SchedulerTable.started(min: 2, max: 2)
    #expect(!table.isSaturated)
    table.publish(1)
    #expect(table.isSaturated)
    table.scheduler.noteSaturation { 5 }
    table.scheduler.noteSaturation { 6 }
    #expect(table.saturatedSince == 5)
    table.next(members[0], .handler)
    table.scheduler.noteSaturation { 7 }
    #expect(table.saturatedSince == nil)
  }
}
