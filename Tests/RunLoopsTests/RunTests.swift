import Locks
import RunLoops
import Testing

/// Observers, modes, nested runs, stop, wake-up, custom sources.
@Suite struct RunTests {
  @Test func observersAreToldInTheOrderOfATurn() throws {
    let record = Record()
    try onThread { loop in
      let source = CustomSource("s") {
        record.add("source")
        loop.stop()
      }
      loop.add(source, to: .default)
      loop.add(RunLoopObserver(.all) { record.add(name($0)) }, to: .default)
      loop.add(RunLoopObserver(.beforeWaiting) { _ in source.signal() }, to: .default)
      loop.perform { record.add("block") }
      loop.run()
    }
    #expect(
      record.all == [
        "entry", "beforeTimers", "beforeSources", "block",
        "beforeTimers", "beforeSources", "beforeWaiting", "afterWaiting",
        "beforeTimers", "beforeSources", "source", "exit",
      ])
  }

  @Test func observersOfOneActivityAreToldByOrderThenByAge() throws {
    let record = Record()
    try onThread { loop in
      for (order, name) in [(5, "e"), (-1, "a"), (5, "f"), (0, "c"), (-1, "b"), (0, "d")] {
        loop.add(RunLoopObserver(.entry, order: order) { _ in record.add(name) }, to: .default)
      }
      loop.perform {}
      loop.run()
    }
    #expect(record.all == ["a", "b", "c", "d", "e", "f"])
  }

  @Test func observerThatDoesNotRepeatIsToldOnce() throws {
    let record = Record()
    try onThread { loop in
      let once = RunLoopObserver([.entry, .exit], repeats: false) { record.add("once " + name($0)) }
      let gone = RunLoopObserver(.entry, order: 1) { _ in record.add("never") }
      loop.add(RunLoopObserver(.entry) { _ in gone.invalidate() }, to: .common)
      loop.add(once, to: .common)
      loop.add(gone, to: .common)
      for _ in 0..<2 {
        loop.perform {}
        loop.run()
      }
      record.add("\(once.isValid) \(gone.isValid)")
    }
    #expect(record.all == ["once entry", "false false"])
  }

  @Test func loopWithNothingToWatchReturnsAtOnceAndTellsNobody() throws {
    let record = Record()
    let results = try onThread { loop in
      loop.add(RunLoopObserver(.all) { record.add(name($0)) }, to: .common)
      let source = CustomSource("s") {}
      loop.add(source, to: RunLoopMode("other"))
      let first = loop.run()
      loop.add(source, to: .default)
      let second = loop.run(until: .distantPast)
      loop.remove(source)
      return [first, second, loop.run()]
    }
    #expect(results == [.finished, .timedOut, .finished])
    #expect(record.all == ["entry", "beforeTimers", "beforeSources", "beforeWaiting", "afterWaiting", "exit"])
  }

  @Test func onlyWhatIsInTheModeIsWatched() throws {
    let record = Record()
    let other = RunLoopMode("other")
    try onThread { loop in
      let source = CustomSource("source") { record.add("source") }
      loop.add(source, to: other)
      loop.add(RunLoopTimer(after: .zero) { _ in record.add("timer") }, to: other)
      loop.add(RunLoopObserver(.entry) { _ in record.add("observer") }, to: other)
      let ends = makePipe()
      writeByte(ends.writing)
      let descriptors = DescriptorSource(descriptor: ends.reading, events: .readable) { _ in
        readByte(ends.reading)
        record.add("descriptor")
      }
      loop.add(descriptors, to: other)
      source.signal()
      loop.add(CustomSource("idle") {}, to: .default)
      record.add("\(loop.run(until: .distantPast)) in default")
      record.add("\(loop.run(mode: other, until: .distantPast)) in other")
    }
    #expect(
      record.all == ["timedOut in default", "observer", "timer", "source", "descriptor", "timedOut in other"])
  }

  @Test func commonModesShareWhatIsCommon() throws {
    let record = Record()
    let (early, late) = (RunLoopMode("early"), RunLoopMode("late"))
    try onThread { loop in
      loop.addCommonMode(early)
      let source = CustomSource("source") { record.add("source in \(ThreadRunLoop.current.currentMode?.name ?? "-")") }
      loop.add(source, to: .common)
      loop.add(RunLoopObserver(.entry) { _ in record.add("observer") }, to: .common)
      loop.add(RunLoopTimer(after: .seconds(1000)) { _ in }, to: .common)
      for mode in [.default, early, late] {
        source.signal()
        loop.perform { record.add("block") }
        record.add("\(loop.run(mode: mode, until: .distantPast)) in \(mode)")
      }
      loop.addCommonMode(late)
      record.add("\(loop.run(mode: late, until: .distantPast)) in late")
    }
    #expect(
      record.all == [
        "observer", "block", "source in default", "timedOut in default",
        "observer", "block", "source in early", "timedOut in early",
        "finished in late",
        "observer", "block", "source in late", "timedOut in late",
      ])
  }

  @Test func nestedRunHasItsOwnModeAndEnd() throws {
    let record = Record()
    let inner = RunLoopMode("inner")
    let result = try onThread { loop in
      loop.add(CustomSource("idle") {}, to: .default)
      loop.add(CustomSource("idle") {}, to: inner)
      loop.perform {
        loop.perform(inModes: [inner]) {
          record.add(ThreadRunLoop.current.currentMode?.name ?? "-")
          loop.stop()
        }
        let result = loop.run(mode: inner)
        record.add("\(result) back in \(loop.currentMode?.name ?? "-")")
        loop.perform {
          record.add("outer goes on")
          loop.stop()
        }
      }
      let result = loop.run()
      record.add("mode after: \(loop.currentMode?.name ?? "none")")
      return result
    }
    #expect(result == .stopped)
    #expect(record.all == ["inner", "stopped back in default", "outer goes on", "mode after: none"])
  }

  @Test func stopBeforeARunEndsTheNextOneOnly() throws {
    let results = try onThread { loop in
      loop.add(CustomSource("idle") {}, to: .default)
      loop.stop()
      loop.stop()
      return [loop.run(), loop.run(until: .distantPast)]
    }
    #expect(results == [.stopped, .timedOut])
  }

  @Test func wakeUpBeforeARunGivesOneTurnWithoutSleep() throws {
    let waits = try onThread { loop in
      loop.add(CustomSource("idle") {}, to: .default)
      loop.wakeUp()
      // Without the wake-up the first turn would already go to sleep, here for a nanosecond.
      loop.testHook = { if $0 == .beforeWait { loop.stop() } }
      let result = loop.run()
      return "\(result) after \(loop.statistics.iterationsTotal)"
    }
    #expect(waits == "stopped after 2")
  }

  @Test func wakeUpMakesASleepingLoopTurn() throws {
    let target = try LoopThread()
    spin { target.loop.isWaiting }
    let before = target.loop.statistics
    target.loop.wakeUp()
    spin { target.loop.statistics.iterationsTotal > before.iterationsTotal }
    spin { target.loop.isWaiting }
    let after = target.loop.statistics
    #expect(after.waitsTotal == before.waitsTotal + 1)
    #expect(after.waitNanoseconds > before.waitNanoseconds)
    #expect(after.busyNanoseconds >= before.busyNanoseconds)
    #expect(after.waitingSince != nil)
    target.stop()
    #expect(!target.loop.isWaiting)
  }

  @Test func signalsCoalesceAndNoneIsLost() throws {
    let handled = Counter()
    let seen = Counter()
    let work = Counter()
    let source = CustomSource("source") {
      handled.increment()
      while seen.value < work.value { seen.increment() }
    }
    // Before it belongs to a loop.
    source.signal()
    source.signal()
    let target = try LoopThread { $0.add(source, to: .common) }
    try target.loop.performAndWait {}
    spin { handled.value == 1 }
    let senders = try (0..<3).map { _ in
      try start {
        for _ in 0..<5000 {
          work.increment()
          source.signal()
        }
      }
    }
    for sender in senders { sender.join() }
    spin { seen.value == 15_000 }
    #expect(handled.value <= 15_001)
    target.stop()
  }

  @Test func sourceCanMoveToAnotherLoopOnceItIsRemoved() throws {
    let record = Record()
    let source = CustomSource("source") { record.add(currentName()) }
    try onThread { loop in
      loop.add(source, to: .default)
      loop.remove(source)
      source.signal()
      record.add("\(loop.run())")
    }
    try onThread { loop in
      loop.add(source, to: .default)
      loop.run(until: .distantPast)
      source.invalidate()
      source.signal()
      loop.add(source, to: .default)
      record.add("\(loop.run())")
    }
    #expect(record.all == ["finished", "test", "finished"])
  }

  @Test func changesFromAnotherThreadTakeEffectInOrder() throws {
    let record = Record()
    let target = try LoopThread()
    let source = CustomSource("source") { record.add("source") }
    let removed = CustomSource("removed") { record.add("removed") }
    target.loop.add(source, to: .default)
    target.loop.add(removed, to: .default)
    target.loop.remove(removed)
    source.signal()
    removed.signal()
    try target.loop.performAndWait {}
    try target.loop.performAndWait {}
    target.stop()
    #expect(record.all == ["source"])
  }

  @Test func misuseEndsTheProcess() async {
    await #expect(processExitsWith: .failure) { ThreadRunLoop.current.run(mode: .common) }
    await #expect(processExitsWith: .failure) {
      let target = try LoopThread()
      target.loop.run()
    }
    await #expect(processExitsWith: .failure) {
      let source = CustomSource("source") {}
      ThreadRunLoop.current.add(source, to: .default)
      try onThread { $0.add(source, to: .default) }
    }
  }
}

func name(_ activity: RunLoopActivity) -> String {
  switch activity {
  case .entry: "entry"
  case .beforeTimers: "beforeTimers"
  case .beforeSources: "beforeSources"
  case .beforeWaiting: "beforeWaiting"
  case .afterWaiting: "afterWaiting"
  case .exit: "exit"
  default: "\(activity.rawValue)"
  }
}
