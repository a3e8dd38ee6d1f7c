import Testing

@testable import WorkerPool

/// Limits that change, threads that cannot be made, members that are busy with messages.
@Suite struct SchedulerLimitTests {
  // MARK: idle end

  @Test func idleMembersAboveTheMinimumEnd() {
    let (table, members) = SchedulerTable.started(min: 3, max: 3, lanes: 0)
    table.setLimits(min: 1, max: 3)
    for member in members { table.nextCalled(member) }
    #expect(table.endIdle(members[2]) == .ended)
    #expect(table.endIdle(members[0]) == .ended)
    #expect(table.endIdle(members[1]) == .needed)
    #expect(table.parked == [1])
    #expect(table.outside == 1)
  }

  /// Work has come, and somebody else was called for it: nobody ends now.
  @Test func nobodyEndsWhileWorkWaits() {
    let (table, members) = SchedulerTable.started(min: 3, max: 3, lanes: 0)
    table.setLimits(min: 2, max: 3)
    for member in members { table.nextCalled(member) }
    table.submit(1)
    #expect(table.endIdle(members[0]) == .busy)
    #expect(table.nextCalled(members[2]) == .run(1))
    #expect(table.endIdle(members[0]) == .ended)
  }

  @Test func nobodyEndsWhileALaneIsVacant() {
    let (table, members) = SchedulerTable.started(min: 3, max: 3)
    table.setLimits(min: 2, max: 3)
    for member in members[1...] { table.nextCalled(member) }
    table.publish(1)
    #expect(table.endIdle(members[1]) == .busy)
    table.next(members[0], .handler)
    #expect(table.endIdle(members[1]) == .ended)
  }

  // MARK: limits

  @Test func raisingTheMinimumWakesTheMonitor() {
    let (table, _) = SchedulerTable.started()
    table.setLimits(min: 3, max: 4)
    #expect(table.isArmed)
    #expect(table.ticks == 1)
  }

  /// Those that wait without a time limit look at the new limits.
  @Test func changingTheLimitsCallsAllThatAreParked() {
    let (table, members) = SchedulerTable.started(min: 4, max: 4)
    table.setLimits(min: 2, max: 4)
    #expect(table.woken.sorted() == [1, 2, 3])
    #expect(table.nextCalled(members[1]) == .park(mayEnd: true))
  }

  @Test func membersAboveALowerMaximumEnd() {
    let (table, members) = SchedulerTable.started(min: 4, max: 4)
    table.setLimits(min: 2, max: 2)
    #expect(table.nextCalled(members[3]) == .end(.aboveMaximum))
    #expect(table.nextCalled(members[2]) == .end(.aboveMaximum))
    #expect(table.nextCalled(members[1]) == .park(mayEnd: false))
    #expect(table.threads == 2)
    #expect(table.ended(.aboveMaximum) == 2)
  }

  /// Who is the only one that can lead does not end, although there are too many.
  @Test func lowerMaximumLeavesSomebodyToLead() {
    let (table, members) = SchedulerTable.started(min: 3, max: 3)
    table.submit(0)
    table.nextCalled(members[2])
    table.publish(1)
    table.setLimits(min: 2, max: 2)
    #expect(table.outside == 1)
    #expect(table.nextCalled(members[1]) == .lead(0))
    #expect(table.next(members[2], .handler) == .end(.aboveMaximum))
    #expect(table.next(members[0], .handler) == .park(mayEnd: false))
  }

  /// A higher maximum is of use at once to what waits.
  @Test func higherMaximumBringsThreadsUp() {
    let (table, members) = SchedulerTable.started(min: 1, max: 1, lanes: 0)
    table.submit(0)
    table.nextCalled(members[0])
    table.submit(1)
    table.tick(times: 5)
    #expect(table.spawns == 0)
    table.setLimits(min: 1, max: 2)
    table.tick(times: 2)
    #expect(table.spawns == 1)
  }

  // MARK: failed creations

  @Test func noThreadIsMadeBeyondTheMaximum() {
    let (table, members) = SchedulerTable.started(min: 1, max: 2, lanes: 0)
    table.submit(0)
    table.nextCalled(members[0])
    table.submit(1)
    #expect(table.spawns == 1)
    #expect(table.next(FakeMember(1), .birth) == .run(1))
    table.submit(2)
    table.tick(times: 5)
    #expect(table.spawns == 1)
  }

  /// After a creation that failed the next one is tried some ticks later, and not at every tick.
  @Test func failedCreationIsTriedAgainAfterAWhile() {
    let (table, members) = SchedulerTable.started(min: 1, max: 2, lanes: 0)
    table.submit(0)
    table.nextCalled(members[0])
    table.submit(1)
    table.spawnFailed(backoffTicks: 5)
    #expect(table.pending == 0)
    #expect(table.waking == 0)
    #expect(table.isArmed)
    table.submit(2)
    table.tick(times: 4)
    #expect(table.spawns == 1)
    table.tick()
    #expect(table.spawns == 2)
  }

  /// A parked member may be called all the same.
  @Test func failedCreationDoesNotKeepParkedMembersAsleep() {
    let (table, members) = SchedulerTable.started(min: 1, max: 2, lanes: 0)
    table.submit(0)
    table.nextCalled(members[0])
    table.submit(1)
    table.spawnFailed(backoffTicks: 1000)
    #expect(table.next(members[0], .handler) == .run(1))
    #expect(table.next(members[0], .handler) == .park(mayEnd: false))
    table.submit(2)
    #expect(table.woken == [0, 0])
  }

  /// A thread that is missing for the minimum is tried again too; the monitor stays awake for it.
  @Test func failedCreationForTheMinimumIsTriedAgain() {
    let (table, members) = SchedulerTable.started(min: 1, max: 2, lanes: 0)
    table.setLimits(min: 2, max: 2)
    table.nextCalled(members[0])
    table.tick()
    #expect(table.spawns == 1)
    table.spawnFailed(backoffTicks: 4)
    for _ in 0..<3 { #expect(table.tick()) }
    #expect(table.spawns == 1)
    #expect(table.tick())
    #expect(table.spawns == 2)
  }

  // MARK: messages

  /// A thread that handles messages of its loop may be there for long: it is not counted among those that can lead.
  @Test func memberBusyWithAMessageIsNotOutside() {
    let (table, members) = SchedulerTable.started(min: 2, max: 2)
    table.leaveStack(members[1])
    #expect(table.outside == 1)
    #expect(table.publish(1).runs == nil, "the leader is the last one that can lead")
    #expect(table.next(members[1], .handler) == .run(1))
  }

  @Test func memberThatHandsItsTokenOnIsNotOutside() {
    let (table, members) = SchedulerTable.started(min: 2, max: 2)
    table.submit(1)
    #expect(members[1].consumeToken())
    table.handTokenOn()
    #expect(table.outside == 1)
    #expect(table.publish().runs == nil)
    #expect(table.next(members[1], .handler) == .run(1))
  }

  @Test func leaderBusyWithAMessageIsNotOutside() {
    let (table, members) = SchedulerTable.started(min: 2, max: 2)
    table.submit(1)
    table.vacate()
    #expect(table.outside == 1)
    #expect(table.nextCalled(members[1]) == .lead(0))
    #expect(table.publish().runs == nil)
    #expect(table.next(members[0], .handler) == .run(1))
  }
  /// One that could not park for a message, and then runs something for it.
  @Test func memberThatGetsAMessageBeforeItParksIsNotOutside() {
    let (table, members) = SchedulerTable.started(min: 2, max: 2)
    table.submit(0)
    table.nextCalled(members[1])
    members[1].hasMessage = true
    #expect(table.next(members[1], .handler) == .handleMessages)
    #expect(table.outside == 2)
    table.scheduler.leaveForMessages()
    #expect(table.publish(1).runs == nil)
    #expect(table.next(members[1], .handler) == .run(1))
  }
}
