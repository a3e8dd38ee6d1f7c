import Metrics
import Testing

@Suite struct CounterTests {
  @Test func manyThreadsMayRaiseACounter() async {
    let counter = Counter()
    let gauge = Gauge()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<10_000 {
            counter.add()
            gauge.add(2)
            gauge.add(-2)
          }
        }
      }
    }
    counter.add(5)
    #expect(counter.value == 40_005)
    #expect(gauge.value == 0)
    #expect((2...8).contains(gauge.peak))
  }

  @Test func oneThreadRaisesItsOwn() {
    let counter = SingleWriterCounter()
    counter.add()
    counter.add(10)
    #expect(counter.value == 11)
  }

  @Test func aGaugeRemembersItsPeak() {
    let gauge = Gauge()
    #expect(gauge.add(3) == 3)
    #expect(gauge.add(-2) == 1)
    gauge.set(-7)
    #expect(gauge.value == -7)
    #expect(gauge.peak == 3)
    gauge.set(9)
    #expect(gauge.peak == 9)
  }
}

@Suite struct RateWindowTests {
  private func nanoseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }

  @Test func theFirstCallGivesTheAverageSinceTheStart() {
    var window = RateWindow(startedAt: nanoseconds(100))
    #expect(window.perSecond(now: nanoseconds(150), total: 200) == 4)
  }

  @Test func laterCallsGiveTheRateOfLate() {
    var window = RateWindow(startedAt: 0)
    _ = window.perSecond(now: nanoseconds(1_000), total: 1_000)
    #expect(window.perSecond(now: nanoseconds(1_001), total: 1_050) == 50, "one second back, not a thousand")
    #expect(window.perSecond(now: nanoseconds(1_008), total: 1_080) == 10, "eight seconds back")
    #expect(
      window.perSecond(now: nanoseconds(1_010.5), total: 1_145) == 10, "the oldest in ten seconds: 1001")
    #expect(
      window.perSecond(now: nanoseconds(1_110.5), total: 1_345) == 2, "seldom asked: since the last call")
  }

  @Test func callsThickAndFastAreNotAllKept() {
    var window = RateWindow(startedAt: 0)
    var rate = 0.0
    for tick in 1...20_000 {
      rate = window.perSecond(now: nanoseconds(Double(tick) / 1_000), total: UInt64(tick / 10))
    }
    #expect(abs(rate - 100) < 1)
    #expect(
      Mirror(reflecting: window).descendant("readings").map { Mirror(reflecting: $0).children.count } ?? 0
        <= 13)
  }

  @Test func whatDoesNotGrowHasNoRate() {
    var window = RateWindow(startedAt: 0)
    #expect(window.perSecond(now: 0, total: 5) == 0)
    #expect(window.perSecond(now: nanoseconds(20), total: 0) == 0)
    _ = window.perSecond(now: nanoseconds(40), total: 7)
    #expect(window.perSecond(now: nanoseconds(45), total: 7) == 0)
  }
}
