import Locks
import Metrics
import Synchronization
import Testing

@testable import WorkerPool

/// What events say of the time before and after them, by a clock that the test moves.
@Suite struct EventRingTests {
  /// Time and totals as the test sets them.
  private final class World: Sendable {
    let now = Atomic<Int64>(1_000)
    let answered = Atomic<UInt64>(0)
    let samples = Atomic<Int>(0)
    private let latency = LatencyRecorder()

    func sample() -> PoolSample {
      samples.add(1, ordering: .relaxed)
      return PoolSample(answeredTotal: answered.load(ordering: .relaxed), latency: latency.snapshot())
    }

    /// So many answers that took so long each.
    func answer(_ count: Int, milliseconds: UInt64) {
      answered.add(UInt64(count), ordering: .relaxed)
      for _ in 0..<count { latency.record(nanoseconds: milliseconds * 1_000_000) }
    }
  }

  private static let second: Int64 = 1_000_000_000
  private let world = World()
  private let ring: EventRing

  init() {
    let world = world
    ring = EventRing(
      capacity: 4, interval: EventRingTests.second, clock: { world.now.load(ordering: .relaxed) },
      sample: { world.sample() })
  }

  private func wait(_ seconds: Double) {
    world.now.add(Int64(seconds * Double(EventRingTests.second)), ordering: .relaxed)
  }

  /// A second goes by in which so much is done, and a sample is taken at its end.
  private func work(_ count: Int, milliseconds: UInt64, seconds: Double = 1) {
    world.answer(count, milliseconds: milliseconds)
    wait(seconds)
    ring.sampleIfDue()
  }

  private func note(_ reason: String = "") {
    ring.append(.limitsChanged, reason: reason, worker: nil, queueDepth: 0, threads: 2)
  }

  private var events: [PoolEvent] { ring.events(since: 0).events }

  /// 3 ms and 1 ms, to within the width of a bucket.
  private func isNear(_ value: Double?, _ expected: Double) -> Bool {
    value.map { abs($0 - expected) <= expected / 16 } ?? false
  }

  @Test func anEventStandsBetweenWhatWasAndWhatCame() {
    ring.sampleIfDue()
    work(100, milliseconds: 3)
    wait(0.25)
    note()
    #expect(events[0].before?.perSecond == 100)
    #expect(isNear(events[0].before?.p99, 0.003))
    #expect(events[0].before?.seconds == 1)
    #expect(events[0].after == nil)
    // The interval that the event falls into is neither before nor after it.
    work(7, milliseconds: 50)
    #expect(events[0].after == nil)
    work(1000, milliseconds: 1, seconds: 2)
    #expect(events[0].after?.perSecond == 500)
    #expect(events[0].after?.seconds == 2)
    #expect(isNear(events[0].after?.p99, 0.001))
    #expect(events[0].before?.perSecond == 100)
  }

  @Test func figuresStayWhenOthersFollow() {
    ring.sampleIfDue()
    for step in 1...8 {
      work(step, milliseconds: 1)
      note("\(step)")
    }
    #expect(events.map(\.reason) == ["5", "6", "7", "8"])
    #expect(events.map { $0.before?.perSecond } == [5, 6, 7, 8])
    #expect(events.map { $0.after?.perSecond } == [6, 7, 8, nil])
    work(9, milliseconds: 1)
    #expect(events.map { $0.after?.perSecond } == [6, 7, 8, 9])
  }

  @Test func eventsThatAreGoneDoNotHoldUpTheOthers() {
    ring.sampleIfDue()
    for number in 1...11 { note("\(number)") }
    work(10, milliseconds: 1)
    #expect(events.map(\.reason) == ["8", "9", "10", "11"])
    #expect(events.allSatisfy { $0.after?.perSecond == 10 })
    work(20, milliseconds: 1)
    #expect(events.allSatisfy { $0.after?.perSecond == 10 })
    wait(0.5)
    for number in 12...18 { note("\(number)") }
    work(30, milliseconds: 1)
    wait(0.5)
    // Of those that wait for their figures some make room for others, which will have to wait longer.
    for number in 19...20 { note("\(number)") }
    #expect(events.map(\.reason) == ["17", "18", "19", "20"])
    work(60, milliseconds: 1)
    #expect(events.map { $0.after?.perSecond } == [40, 40, nil, nil])
  }

  @Test func samplesComeOnceInAnIntervalHoweverOftenTheyAreAskedFor() {
    for _ in 0..<100 {
      ring.sampleIfDue()
      wait(0.125)
    }
    #expect(world.samples.load(ordering: .relaxed) == 13)
  }

  @Test func nothingIsSaidOfATimeFarAwayOrLong() {
    ring.sampleIfDue()
    work(10, milliseconds: 1)
    // Nobody was awake for a while.
    wait(6)
    note("late")
    work(10, milliseconds: 1)
    note("after a long interval")
    work(10, milliseconds: 1)
    work(10, milliseconds: 1)
    #expect(events.map { $0.before?.perSecond } == [nil, nil])
    #expect(events.map { $0.after?.perSecond } == [10, 10])
    note("last of a burst")
    work(10, milliseconds: 1, seconds: 6)
    work(10, milliseconds: 1)
    #expect(events[2].before?.perSecond == 10)
    // What came after it came too late to be told of.
    #expect(events[2].after == nil)
  }

  @Test func aTimeWithoutAnswersHasNoLatency() {
    ring.sampleIfDue()
    work(0, milliseconds: 1)
    note()
    #expect(events[0].before?.perSecond == 0)
    #expect(events[0].before != nil && events[0].before?.p99 == nil)
  }

  @Test func withoutASamplerThereAreNoFigures() {
    let ring = EventRing(capacity: 4)
    ring.sampleIfDue()
    ring.append(.spawned, reason: "start", worker: "w", queueDepth: 0, threads: 1)
    #expect(ring.events(since: 0).events.count == 1)
    #expect(ring.events(since: 0).events[0].before == nil)
  }
}
