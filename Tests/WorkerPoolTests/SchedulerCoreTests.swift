import Testing

@testable import WorkerPool

/// Handlers that compute and handlers that wait: of the former no more run at once than there are processors.
@Suite struct SchedulerCoreTests {
  @Test func nobodyIsCalledWhileEveryCoreIsInUse() {
    let (table, members) = SchedulerTable.started(min: 3, max: 4, lanes: 0, cores: 1)
    table.submit(0)
    #expect(table.nextCalled(members[2]) == .run(0))
    table.submit(1)
    #expect(table.woken == [2])
    #expect(table.isArmed)
    // The one that works takes it when it has done.
    #expect(table.next(members[2], .handler) == .run(1))
  }

  /// A handler that waits uses no processor: somebody is called at the second tick.
  @Test func waitingHandlerIsReplaced() {
    let (table, members) = SchedulerTable.started(min: 3, max: 4, lanes: 0, cores: 1)
    table.submit(0)
    table.nextCalled(members[2])
    table.submit(1)
    table.tick(times: 2, waiting: 1)
    #expect(table.woken == [2, 1])
    #expect(table.nextCalled(members[1]) == .run(1))
  }

  /// A handler that computes is given time, and then one more is called all the same; the next ones come later and later.
  @Test func computingHandlersAreJoinedLaterAndLater() {
    let table = SchedulerTable(min: 1, max: 10, lanes: 0, cores: 1)
    table.scheduler.beginStart()
    table.next(FakeMember(0), .birth)
    let first = table.scheduler.parked[0]
    table.submit(0)
    table.nextCalled(first)
    for number in 1...4 { table.submit(number) }
    var ticks: [Int] = []
    for _ in 0..<4 {
      let before = table.spawns
      var count = 0
      while table.spawns == before, count < 100 {
        table.tick()
        count += 1
      }
      ticks.append(count)
      #expect(table.spawnReason == .injected)
      table.next(FakeMember(table.spawns), .birth)
    }
    #expect(ticks == [3, 5, 9, 17])
  }

  /// Once a processor is free the wait is short again.
  @Test func injectionIsQuickAgainAfterAFreeCore() {
    let (table, members) = SchedulerTable.started(min: 1, max: 10, lanes: 0, cores: 1)
    table.submit(0)
    table.nextCalled(members[0])
    table.submit(1)
    table.tick(times: 3)
    #expect(table.spawns == 1)
    table.next(FakeMember(1), .birth)
    table.submit(2)
    table.tick(times: 2, waiting: 2)
    #expect(table.spawns == 2)
    #expect(table.spawnReason == .demand)
    table.next(FakeMember(2), .birth)
    table.submit(3)
    table.tick(times: 3)
    #expect(table.spawns == 3)
    #expect(table.spawnReason == .injected)
  }

  @Test func threadForTheMinimumIsMadeWhateverTheCoresDo() {
    let (table, members) = SchedulerTable.started(min: 1, max: 4, lanes: 0, cores: 1)
    table.submit(0)
    table.nextCalled(members[0])
    table.setLimits(min: 2, max: 4)
    table.tick()
    #expect(table.spawnReason == .minimum)
  }

  /// A vacant lane gets a leader at the second tick, busy as the processors may be.
  @Test func vacantLaneIsLedWhateverTheCoresDo() {
    let (table, _) = SchedulerTable.started(min: 2, max: 2, cores: 1)
    table.publish(0)
    table.tick(times: 2)
    #expect(table.woken == [1])
  }
}
