import Testing

@testable import WorkerPool

/// When items of a standing line are shed: sequences worked out by hand, in a clock of the test's own.
@Suite struct CoDelTests {
  /// The moments at which one item is shed, where the head's wait is the same at every look.
  private func moments(_ control: inout CoDel, wait: Int64, in range: ClosedRange<Int64>) -> [Int64] {
    range.filter { control.sheds(wait: wait, now: $0) }
  }

  /// 100 after the line was found standing; then at distances of 100/√1, 100/√2, 100/√3 …
  @Test func theDistancesShrinkWithTheSquareRoot() {
    var control = CoDel(target: 5, interval: 100)
    #expect(moments(&control, wait: 50, in: 0...600) == [100, 200, 270, 327, 377, 421, 461, 498, 533, 566, 597])
  }

  /// A look that comes late makes up for what was due meanwhile.
  @Test func aLateLookMakesUpForWhatWasDue() {
    var control = CoDel(target: 5, interval: 100)
    #expect(moments(&control, wait: 50, in: 0...100) == [100])
    var answers: [Bool] = []
    for _ in 0..<6 { answers.append(control.sheds(wait: 50, now: 400)) }
    // Due at 200, 270, 327, 377; the next one at 421.
    #expect(answers == [true, true, true, true, false, false])
  }

  @Test func theTargetItselfIsTooLong() {
    var (below, at) = (CoDel(target: 5, interval: 100), CoDel(target: 5, interval: 100))
    #expect(moments(&below, wait: 4, in: 0...1000).isEmpty)
    #expect(moments(&at, wait: 5, in: 0...150) == [100])
  }

  /// One head that has waited less shows that the line does not stand: another interval must pass.
  @Test func oneShortWaitBeginsAnew() {
    var control = CoDel(target: 5, interval: 100)
    #expect(moments(&control, wait: 50, in: 0...98).isEmpty)
    #expect(moments(&control, wait: 4, in: 99...99).isEmpty)
    #expect(moments(&control, wait: 50, in: 100...210) == [200])
    #expect(control.isShedding)
    #expect(moments(&control, wait: 4, in: 211...211).isEmpty)
    #expect(!control.isShedding)
  }

  @Test func anEmptyLineBeginsAnew() {
    var control = CoDel(target: 5, interval: 100)
    #expect(moments(&control, wait: 50, in: 0...98).isEmpty)
    control.lineIsShort()
    #expect(moments(&control, wait: 50, in: 99...210) == [199])
  }

  /// A line that stands again soon is shed from at the rate that was found before, …
  @Test func theRateIsTakenUpAgain() {
    var control = CoDel(target: 5, interval: 100)
    #expect(moments(&control, wait: 50, in: 0...600).count == 11)
    control.lineIsShort()
    // 11 were counted, of them 10 since the beginning: 100/√10, 100/√11, 100/√12.
    #expect(moments(&control, wait: 50, in: 601...800) == [701, 732, 762, 790])
  }

  /// … but not 16 intervals after the next one would have been shed.
  @Test func theRateIsForgottenAfterAWhile() {
    var control = CoDel(target: 5, interval: 100)
    _ = moments(&control, wait: 50, in: 0...600)
    control.lineIsShort()
    #expect(moments(&control, wait: 50, in: 2227...2500) == [2327, 2427, 2497])
  }

  /// While the line stands nobody waits longer than the interval; before, as long as need be.
  @Test func nobodyWaitsLongerThanTheInterval() {
    var control = CoDel(target: 5, interval: 100)
    #expect(moments(&control, wait: 500, in: 0...99).isEmpty)
    var answers: [Bool] = []
    for wait in [300, 150, 100, 99, 99] as [Int64] { answers.append(control.sheds(wait: wait, now: 100)) }
    #expect(answers == [true, true, true, false, false])
    // The law goes on beside it.
    #expect(moments(&control, wait: 99, in: 101...200) == [200])
  }

  // MARK: in the scheduler

  private func table(queueLimit: Int = 100) -> (SchedulerTable, [FakeMember]) {
    SchedulerTable.started(
      min: 1, max: 1, lanes: 0, queueLimit: queueLimit, control: CoDel(target: 5, interval: 100))
  }

  @Test func theHeadIsShedAndTheRestIsServed() {
    let (table, members) = table()
    table.submit(0)
    table.nextCalled(members[0])
    for number in 1...5 { table.submit(number, at: Int64(number * 10)) }
    #expect(table.shed(at: 20) == [])
    #expect(table.shed(at: 110) == [])
    #expect(table.shed(at: 119) == [])
    // The first two have waited for an interval, which nobody does from now on.
    #expect(table.shed(at: 120) == [1, 2])
    #expect(table.shed(at: 125) == [])
    #expect(table.scheduler.shed == 2)
    #expect(table.next(members[0], .handler) == .run(3))
  }

  /// A line that was empty in between does not stand.
  @Test func anEmptyLineOfTheQueueBeginsAnew() {
    let (table, members) = table()
    table.submit(0)
    table.nextCalled(members[0])
    table.submit(1, at: 0)
    #expect(table.shed(at: 10) == [])
    table.next(members[0], .handler)
    #expect(table.shed(at: 50) == [])
    table.submit(2, at: 60)
    #expect(table.shed(at: 110) == [])
    #expect(table.shed(at: 209) == [])
    #expect(table.shed(at: 210) == [2])
  }

  /// Each line by itself: that low ones stand is no reason to shed others.
  @Test func aLineThatDoesNotStandIsLeftAlone() {
    let (table, members) = table()
    table.submit(0)
    table.nextCalled(members[0])
    table.submit(NumberedItem(1, at: 0, .low))
    #expect(table.shed(at: 10) == [])
    table.submit(NumberedItem(2, at: 108))
    table.submit(NumberedItem(3, at: 20, .high))
    #expect(table.shed(at: 109) == [])
    #expect(table.shed(at: 110) == [1])
  }

  /// What waits for its own kind is not shed: that says nothing about the pool.
  @Test func whatABulkheadHoldsBackIsNotShed() {
    let (table, members) = table()
    let bulkhead = Bulkhead(limit: 1)
    table.submit(NumberedItem(0, in: bulkhead))
    table.nextCalled(members[0])
    table.submit(NumberedItem(1, in: bulkhead))
    for moment in 0..<50 { #expect(table.shed(at: Int64(moment * 10)) == []) }
    // Nor when it has its slot at last.
    table.leaveBulkhead(members[0])
    for moment in 50..<100 { #expect(table.shed(at: Int64(moment * 10)) == []) }
    #expect(table.next(members[0], .handler) == .run(1))
  }

  /// A slot that a shed item had goes to the next.
  @Test func aShedItemHandsItsSlotOn() {
    let (table, members) = table()
    let bulkhead = Bulkhead(limit: 1)
    table.submit(0)
    table.nextCalled(members[0])
    table.submit(NumberedItem(1, at: 0, in: bulkhead))
    table.submit(NumberedItem(2, at: 0, in: bulkhead))
    _ = table.shed(at: 10)
    #expect(table.shed(at: 110) == [1])
    #expect(table.next(members[0], .handler) == .run(2))
  }

  /// Who has been answered for already is taken off, and counts for nothing.
  @Test func whatIsOverIsNotCounted() {
    let (table, members) = table()
    table.submit(0)
    table.nextCalled(members[0])
    let gone = NumberedItem(1)
    gone.isGivenUp = true
    table.submit(gone)
    table.submit(NumberedItem(2))
    #expect(table.shed(at: 50) == [1])
    #expect(table.shed(at: 149) == [])
    #expect(table.shed(at: 150) == [2])
    #expect(table.scheduler.shed == 1)
  }

  @Test func nothingIsShedUnlessAsked() {
    let (table, members) = SchedulerTable.started(min: 1, max: 1, lanes: 0)
    table.submit(0)
    table.nextCalled(members[0])
    table.submit(1)
    for moment in 0..<100 { #expect(table.shed(at: Int64(moment) * 1_000_000_000) == []) }
  }

  // MARK: settings

  @Test func settingsThatContradictEachOtherAreRefused() {
    var configuration = PoolConfiguration(limits: PoolLimits(minThreads: 2, maxThreads: 2))
    #expect(configuration.problem(lanes: 1) == nil && configuration.control == nil)
    configuration.shedTarget = .milliseconds(5)
    #expect(configuration.problem(lanes: 1) == nil && configuration.control != nil)
    configuration.shedInterval = .milliseconds(4)
    #expect(configuration.problem(lanes: 1)?.contains("shedInterval") == true)
    #expect(throws: PoolError.self) { try WorkerPool(configuration: configuration) }
    configuration.shedTarget = .microseconds(10)
    #expect(configuration.problem(lanes: 1)?.contains("shedTarget") == true)
    configuration.shedTarget = .zero
    configuration.queueLimit = 0
    #expect(configuration.problem(lanes: 1)?.contains("queueLimit") == true)
    configuration.queueLimit = 1
    configuration.queueDeadline = .seconds(-1)
    #expect(configuration.problem(lanes: 1)?.contains("queueDeadline") == true)
  }
}
