import Testing

@testable import WorkerPool

/// The wrong variants of the protocol that concern the scheduler (docs/threading.md), each as the course of events in which it fails.
@Suite struct SchedulerVariantTests {
  /// "No reserve": one thread more than there are open lanes stays out of handlers, else nobody could lead.
  @Test func reserveIsKept() {
    let (table, members) = SchedulerTable.started(min: 2, max: 2)
    table.submit(0)
    #expect(table.nextCalled(members[1]) == .run(0))
    // The leader is the last one outside: it keeps leading, whatever it collects.
    #expect(table.publish(1, 2).runs == nil)
    #expect(table.vacant == 0)
    #expect(table.depth == 2)
    #expect(table.outside == 1)
    // Who comes back is one too many, and works.
    #expect(table.next(members[1], .handler) == .run(1))
  }

  /// The same for who comes to a lane without a leader: it leads, though work waits.
  @Test func lastOneOutsideLeadsRatherThanWorks() {
    let (table, members) = SchedulerTable.started(min: 2, max: 2)
    table.submit(0)
    table.publish(1)
    #expect(table.vacant == 1)
    #expect(table.nextCalled(members[1]) == .lead(0))
    #expect(table.depth == 1)
  }

  @Test func reserveIsOnePerOpenLane() {
    let (table, members) = SchedulerTable.started(min: 3, max: 3, lanes: 2)
    #expect(table.publish(1, 2, lane: 0).runs == 1)
    #expect(table.publish(3, lane: 1).runs == nil)
    #expect(table.next(members[0], .handler) == .run(2))
  }

  /// "A thread being made counted in `outside`": it may never come, then nobody could lead.
  @Test func threadBeingMadeIsNotOutside() {
    let (table, members) = SchedulerTable.started(min: 2, max: 3)
    table.submit(0)
    table.nextCalled(members[1])
    #expect(table.publish(1).runs == nil)
    #expect(table.spawns == 1)
    #expect(table.pending == 1)
    // One thread is outside and one is on its way: still nothing to run for the leader.
    #expect(table.outside == 1)
    #expect(table.publish(2).runs == nil)
    table.spawnFailed()
    #expect(table.vacant == 0)
    #expect(table.outside == 1)
  }

  /// "A thread being made counted in `T`": another would end on its account.
  @Test func threadBeingMadeIsNoThreadYet() {
    let (table, members) = SchedulerTable.started(min: 2, max: 3, lanes: 0)
    table.submit(0)
    table.submit(1)
    #expect(table.nextCalled(members[1]) == .run(0))
    table.tick(times: 2)
    #expect(table.nextCalled(members[0]) == .run(1))
    table.submit(2)
    #expect(table.pending == 1)
    #expect(table.threads == 2)
    #expect(table.next(members[0], .handler) == .run(2))
    #expect(table.next(members[0], .handler) == .park(mayEnd: false))
    #expect(table.endIdle(members[0]) == .needed)
    table.spawnFailed()
    #expect(table.threads == 2)
  }

  /// "Idle end decided before taking P": of two whose time is over at once only one goes.
  @Test func twoEndAtOnceNeverGoBelowTheMinimum() {
    let (table, members) = SchedulerTable.started(min: 3, max: 3, lanes: 0)
    table.setLimits(min: 2, max: 3)
    for member in members.reversed() { #expect(table.nextCalled(member) == .park(mayEnd: true)) }
    // All have found their time over by their own clocks before the first of them asks.
    #expect(table.endIdle(members[0]) == .ended)
    #expect(table.endIdle(members[1]) == .needed)
    #expect(table.endIdle(members[2]) == .needed)
    #expect(table.threads == 2)
    #expect(table.ended(.idle) == 1)
    #expect(table.parked == [2, 1])
  }

  /// "Idle end although the word is 1": a member that was called is off the stack, so the call finds nobody else.
  @Test func calledMemberIsOffTheStackAndDoesNotEnd() {
    let (table, members) = SchedulerTable.started(min: 2, max: 3, lanes: 0)
    table.submit(0)
    #expect(members[1].word == .called)
    #expect(table.parked == [0])
    #expect(table.waking == 1)
    // It looks at its word first, under the lock: the call comes before the end.
    #expect(table.nextCalled(members[1]) == .run(0))
    #expect(table.waking == 0)
  }

  /// "Token eaten": a member that was called but has a message to handle first hands the call on.
  @Test func tokenThatIsNotEatenIsHandedOn() {
    let (table, members) = SchedulerTable.started(min: 3, max: 3, lanes: 0)
    table.submit(0)
    #expect(table.woken == [2])
    #expect(members[2].consumeToken())
    table.handTokenOn()
    #expect(table.woken == [2, 1])
    #expect(table.waking == 1)
    #expect(table.nextCalled(members[1]) == .run(0))
  }

  /// … and nobody is called when there is nothing left to do.
  @Test func tokenForNothingIsNotHandedOn() {
    let (table, members) = SchedulerTable.started(min: 2, max: 2, lanes: 0)
    table.submit(0, at: 1)
    #expect(table.expire(before: 2) == [0])
    #expect(members[1].consumeToken())
    table.handTokenOn()
    #expect(table.woken == [1])
    #expect(table.waking == 0)
  }

  /// "Monitor not armed at vacation".
  @Test func monitorIsArmedForAVacantLaneOnly() {
    let (table, _) = SchedulerTable.started()
    #expect(table.publish(1).runs == 1)
    #expect(table.depth == 0)
    #expect(table.isArmed)
    #expect(table.ticks == 1)
    // The vacancy outlives one tick, and the lane is given to somebody at the second.
    #expect(table.tick())
    #expect(table.woken.isEmpty)
    #expect(table.tick())
    #expect(table.woken == [1])
    #expect(table.isDue(0))
    #expect(table.ticks == 1)
  }

  /// "Monitor armed for vacant lanes only": a queue that is not empty is looked after too.
  @Test func monitorIsArmedForTheQueueOnly() {
    let (table, members) = SchedulerTable.started(min: 2, max: 2)
    table.submit(0)
    table.nextCalled(members[1])
    #expect(!table.tick())
    #expect(table.publish(1).runs == nil)
    #expect(table.vacant == 0)
    #expect(table.isArmed)
    #expect(table.ticks == 2)
    for _ in 0..<5 { #expect(table.tick()) }
    #expect(table.isArmed)
  }

  /// An item that waits is made somebody's at the second tick.
  @Test func monitorCallsForTheHeadOfTheQueue() {
    let (table, members) = SchedulerTable.started(min: 3, max: 3, lanes: 0)
    table.submit(0)
    table.submit(1)
    table.nextCalled(members[2])
    #expect(table.woken == [2])
    table.tick()
    #expect(table.woken == [2])
    table.tick()
    #expect(table.woken == [2, 1])
  }

  /// "All quiet and `armed = false` in two steps": the tick that says no has cleared the flag, so the next event arms anew.
  @Test func quietAndDisarmedInOneStep() {
    let (table, members) = SchedulerTable.started(min: 2, max: 2, lanes: 0, quietTicks: 3)
    table.submit(0)
    table.nextCalled(members[1])
    table.next(members[1], .handler)
    #expect(table.ticks == 1)
    #expect(table.tick())
    #expect(table.tick())
    #expect(table.isArmed)
    #expect(!table.tick())
    #expect(!table.isArmed)
    table.submit(1)
    #expect(table.isArmed)
    #expect(table.ticks == 2)
  }

  /// Something that happens between two quiet ticks begins the count anew.
  @Test func quietTicksAreCountedAnew() {
    let (table, members) = SchedulerTable.started(min: 2, max: 2, lanes: 0, quietTicks: 2)
    table.submit(0)
    table.nextCalled(members[1])
    #expect(table.tick())
    table.submit(1)
    table.nextCalled(members[0])
    #expect(table.tick())
    #expect(!table.tick())
    #expect(table.ticks == 1)
  }

  /// Only what waits is looked at often: a busy pool in which nothing does costs few ticks.
  @Test func theMonitorIsPressedWhileSomethingWaits() {
    let (table, members) = SchedulerTable.started(min: 2, max: 2, lanes: 0)
    table.tick()
    #expect(!table.isPressed, "nothing is queued")
    table.submit(0)
    table.tick()
    #expect(table.isPressed, "something is queued")
    table.nextCalled(members[1])
    table.tick()
    #expect(!table.isPressed, "it runs")
  }

  /// "Dead thread not replaced": the monitor does not rest while threads are missing.
  @Test func tooFewThreadsAreRepaired() {
    let (table, members) = SchedulerTable.started(min: 2, max: 4, lanes: 0)
    table.setLimits(min: 4, max: 4)
    #expect(table.tick())
    #expect(table.spawns == 0, "not while others are on their way")
    for member in members { table.nextCalled(member) }
    #expect(table.tick())
    #expect(table.spawns == 1)
    #expect(table.tick(), "one that is being made is not there yet")
    table.next(FakeMember(10), .birth)
    #expect(table.tick())
    table.next(FakeMember(11), .birth)
    #expect(table.spawns == 2)
    #expect(table.threads == 4)
    #expect(!table.tick())
  }

  /// "Parked not all woken at the last lane".
  @Test func lastLaneWakesAllThatAreParked() {
    let (table, members) = SchedulerTable.started(min: 5, max: 5, lanes: 2)
    table.close()
    #expect(table.woken.isEmpty)
    table.laneClosed(0)
    #expect(table.next(members[0], .elsewhere) == .park(mayEnd: false))
    #expect(table.woken.isEmpty)
    table.laneClosed(1)
    #expect(table.woken.sorted() == [0, 2, 3, 4])
    #expect(table.waking == 4)
    #expect(table.next(members[1], .elsewhere) == .end(.drained))
    for number in [0, 2, 3, 4] { #expect(table.nextCalled(members[number]) == .end(.drained)) }
    #expect(table.threads == 0)
    #expect(table.waking == 0)
    #expect(table.ended(.drained) == 5)
  }

  /// A pool without lanes: closing it does the same.
  @Test func closingWakesAllThatAreParked() {
    let (table, members) = SchedulerTable.started(min: 3, max: 3, lanes: 0)
    table.close()
    #expect(table.woken.count == 3)
    for member in members { #expect(table.nextCalled(member) == .end(.drained)) }
  }

  /// A closed pool takes nothing more, and runs what it has.
  @Test func closingRunsWhatIsQueued() {
    let (table, members) = SchedulerTable.started(min: 2, max: 2, lanes: 0)
    table.submit(0)
    table.submit(1)
    table.close()
    #expect(!table.submit(2))
    #expect(table.nextCalled(members[1]) == .run(0))
    #expect(table.nextCalled(members[0]) == .run(1))
    #expect(table.next(members[0], .handler) == .end(.drained))
    #expect(table.next(members[1], .handler) == .end(.drained))
  }

  /// Nobody leaves a closed pool while a lane is open.
  @Test func closedPoolKeepsItsThreadsWhileALaneIsOpen() {
    let (table, members) = SchedulerTable.started()
    table.close()
    table.publish(1)
    #expect(table.next(members[0], .handler) == .lead(0))
  }

  /// "One on the way up": no herd, however many events there are.
  @Test func oneAtATimeIsOnTheWay() {
    let (table, _) = SchedulerTable.started(min: 4, max: 8, lanes: 0)
    for number in 0..<10 { table.submit(number) }
    table.tick(times: 10)
    #expect(table.woken == [3])
    #expect(table.spawns == 0)
  }
}
