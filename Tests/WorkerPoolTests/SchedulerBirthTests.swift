import Testing

@testable import WorkerPool

/// A member that has a message of its run loop to handle before it has ever asked for work.
@Suite struct SchedulerBirthTests {
  @Test func isCountedAsStartedAndAsBusy() {
    var scheduler = Scheduler<FakeMember>(
      limits: PoolLimits(minThreads: 2, maxThreads: 4), queueLimit: 8, lanes: 1, quietTicks: 1)
    scheduler.beginStart()
    var debts = Scheduler<FakeMember>.Debts()
    scheduler.arriveForMessages(debts: &debts)
    #expect(scheduler.started == 1)
    #expect(scheduler.pending == 1)
    #expect(scheduler.waking == 1)
    // Nobody may count on it: a lane is vacant, so the monitor looks, and the one that is still coming will lead.
    #expect(scheduler.outside == 0)
    #expect(debts.tick)
    #expect(debts.spawn == nil)
    // It comes back as from a handler.
    let member = FakeMember(1)
    let decision = scheduler.next(member, from: .handler, debts: &debts)
    #expect(scheduler.outside == 1)
    guard case .lead(0) = decision else {
      Issue.record("it should lead the vacant lane")
      return
    }
  }
}
