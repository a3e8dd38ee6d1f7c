import Locks
import RunLoops
import Testing

@Suite struct TimerTests {
  /// Runs `body` on a thread whose loop has a clock that goes on by 10 ns before each wait.
  private func run(_ body: @escaping @Sendable (ThreadRunLoop, ManualClock, Record) throws -> Void) throws -> [String] {
    let record = Record()
    try onThread { loop in
      let clock = ManualClock(1000)
      loop.setClock(clock)
      loop.testHook = { if $0 == .beforeWait { clock.advance(10) } }
      try body(loop, clock, record)
    }
    return record.all
  }

  @Test func timersFireInTheOrderOfTheirTimes() throws {
    let seen = try run { loop, clock, record in
      for delay in [70, 20, 50, 20, 90, 10] {
        loop.add(
          RunLoopTimer(after: .nanoseconds(delay)) { _ in record.add("\(delay) at \(clock.now() - 1000)") },
          to: .default)
      }
      let result = loop.run()
      record.add("\(result)")
    }
    #expect(
      seen == ["10 at 10", "20 at 20", "20 at 20", "50 at 50", "70 at 70", "90 at 90", "finished"])
  }

  @Test func timersOfOneMomentFireInTheOrderInWhichTheyWereAdded() throws {
    let seen = try run { loop, _, record in
      for number in 0..<20 {
        loop.add(RunLoopTimer(fireAt: Deadline(nanoseconds: 1500)) { _ in record.add("\(number)") }, to: .default)
      }
      loop.run()
    }
    #expect(seen == (0..<20).map { "\($0)" })
  }

  @Test func manyTimersKeepTheirOrderWhileSomeAreTakenOut() throws {
    let seen = try run { loop, _, record in
      let delays = (0..<200).map { ($0 * 7919) % 1009 }
      let timers = delays.map { delay in
        RunLoopTimer(after: .nanoseconds(delay)) { _ in record.add("\(delay)") }
      }
      for timer in timers { loop.add(timer, to: .default) }
      for index in stride(from: 0, to: 200, by: 3) { timers[index].invalidate() }
      loop.run()
    }
    let expected = (0..<200).filter { $0 % 3 != 0 }.map { ($0 * 7919) % 1009 }.sorted().map { "\($0)" }
    #expect(seen == expected)
  }

  @Test func oneShotFiresOnceAndIsInvalidInItsHandler() throws {
    let seen = try run { loop, _, record in
      let timer = RunLoopTimer(after: .zero) { timer in record.add("fired, valid: \(timer.isValid)") }
      loop.add(timer, to: .common)
      loop.add(timer, to: .default)
      loop.run()
      loop.add(timer, to: .default)
      record.add("\(loop.run()), next: \(timer.nextFire == .distantFuture)")
    }
    #expect(seen == ["fired, valid: false", "finished, next: true"])
  }

  @Test func aHandlerMayPutItsNextTimeOff() throws {
    let seen = try run { loop, clock, record in
      let timer = RunLoopTimer(after: .nanoseconds(20), every: .nanoseconds(20)) { timer in
        record.add("\(clock.now() - 1000)")
        // Once only: the beat goes on from there.
        if record.all.count == 1 { timer.postpone(nanoseconds: 50) }
        if record.all.count == 3 { timer.invalidate() }
      }
      loop.add(timer, to: .default)
      loop.run()
    }
    #expect(seen == ["20", "70", "90"])
  }

  @Test func lateRepeatingTimerSkipsWhatItMissedAndKeepsItsBeat() throws {
    let seen = try run { loop, clock, record in
      let fired = Counter()
      let timer = RunLoopTimer(after: .nanoseconds(100), every: .nanoseconds(100)) { timer in
        record.add("\(clock.now() - 1000)")
        switch fired.increment() {
        case 2: clock.advance(350)
        case 4: timer.invalidate()
        default: break
        }
      }
      loop.add(timer, to: .default)
      record.add("\(loop.run())")
    }
    // At 200 it takes until 550: 300, 400 and 500 are skipped, 600 comes in time.
    #expect(seen == ["100", "200", "600", "700", "finished"])
  }

  @Test func timerThatIsDueExactlyAtTheEndOfItsHandlerIsSkipped() throws {
    let seen = try run { loop, clock, record in
      let timer = RunLoopTimer(after: .nanoseconds(100), every: .nanoseconds(100)) { timer in
        record.add("\(clock.now() - 1000)")
        if clock.now() == 1100 { clock.advance(200) } else { timer.invalidate() }
      }
      loop.add(timer, to: .default)
      loop.run()
    }
    #expect(seen == ["100", "400"])
  }

  @Test func nextFireIsKnown() throws {
    let seen = try run { loop, _, record in
      let timer = RunLoopTimer(after: .nanoseconds(30), every: .nanoseconds(50)) { timer in
        record.add("in handler \(timer.nextFire == .distantFuture)")
        loop.stop()
      }
      record.add("before \(timer.nextFire == .distantFuture)")
      loop.add(timer, to: .default)
      record.add("\(timer.nextFire.nanoseconds)")
      loop.run()
      record.add("\(timer.nextFire.nanoseconds)")
      timer.invalidate()
    }
    #expect(seen == ["before true", "1030", "in handler true", "1080"])
  }

  @Test func timerAddedByAHandlerWaitsForTheNextTurn() throws {
    let seen = try run { loop, _, record in
      loop.add(RunLoopObserver(.beforeTimers) { _ in record.add("turn") }, to: .default)
      loop.add(
        RunLoopTimer(after: .zero) { _ in
          record.add("first")
          loop.add(RunLoopTimer(after: .zero) { _ in record.add("second") }, to: .default)
        }, to: .default)
      loop.run()
    }
    #expect(seen == ["turn", "first", "turn", "second", "turn"])
  }

  @Test func timerDoesNotFireInARunInsideItsHandler() throws {
    let seen = try run { loop, clock, record in
      let timer = RunLoopTimer(after: .zero, every: .nanoseconds(10)) { timer in
        record.add("begins")
        let result = loop.run(until: Deadline(nanoseconds: clock.now() + 50))
        record.add("ends, \(result)")
        timer.invalidate()
      }
      loop.add(timer, to: .default)
      loop.run()
    }
    #expect(seen == ["begins", "ends, timedOut"])
  }

  @Test func invalidateOnAnotherThreadTakesTheTimerOut() throws {
    let record = Record()
    let timer = RunLoopTimer(after: .seconds(3600), every: .seconds(1)) { _ in record.add("fired") }
    let made = Gate()
    let thread = try start {
      let loop = ThreadRunLoop.current
      loop.add(timer, to: .default)
      made.open()
      // Ends only because nothing is left to watch.
      record.add("\(loop.run())")
    }
    made.wait()
    timer.invalidate()
    thread.join()
    #expect(record.all == ["finished"])
    #expect(!timer.isValid)
  }

  @Test func removedTimerKeepsItsTime() throws {
    let seen = try run { loop, clock, record in
      let timer = RunLoopTimer(after: .nanoseconds(100)) { _ in record.add("fired at \(clock.now() - 1000)") }
      loop.add(timer, to: .default)
      loop.remove(timer)
      record.add("\(loop.run())")
      clock.advance(80)
      loop.add(timer, to: .default)
      loop.run()
    }
    #expect(seen == ["finished", "fired at 100"])
  }

  @Test func runUntilReturnsAtTheDeadlineOrAfterASource() throws {
    let seen = try run { loop, clock, record in
      loop.add(RunLoopTimer(after: .nanoseconds(100)) { _ in record.add("fired") }, to: .default)
      record.add("\(loop.run(until: Deadline(nanoseconds: 1050))) at \(clock.now() - 1000)")
      record.add(
        "\(loop.run(until: Deadline(nanoseconds: 1400), returnAfterSourceHandled: true)) at \(clock.now() - 1000)")
      record.add("\(loop.run())")
    }
    #expect(seen == ["timedOut at 50", "fired", "handledSource at 100", "finished"])
  }

  @Test func timeBeyondWhatCanBeCountedIsNever() throws {
    let seen = try run { loop, _, record in
      let timer = RunLoopTimer(after: .seconds(Int64.max)) { _ in record.add("fired") }
      loop.add(timer, to: .default)
      record.add("\(timer.nextFire == .distantFuture) \(loop.run(until: Deadline(nanoseconds: 2000)))")
    }
    #expect(seen == ["true timedOut"])
  }

  @Test func intervalOfZeroIsRefused() async {
    await #expect(processExitsWith: .failure) { _ = RunLoopTimer(after: .zero, every: .zero) { _ in } }
  }
}
