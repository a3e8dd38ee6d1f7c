import Glibc
import Locks
import RunLoops
import Testing

@Suite struct DescriptorTests {
  @Test func sleepingLoopIsWokenByItsDescriptor() throws {
    let ends = makePipe()
    let record = Record()
    let target = try LoopThread { loop in
      let source = DescriptorSource(descriptor: ends.reading, events: .readable) { events in
        readByte(ends.reading)
        record.add("\(events == .readable)")
        ThreadRunLoop.current.stop()
      }
      loop.add(source, to: .default)
    }
    spin { target.loop.isWaiting }
    writeByte(ends.writing)
    target.thread.join()
    #expect(record.all == ["true"])
    close(ends.reading)
    close(ends.writing)
  }

  @Test func loopThatSleepsInEpollIsWokenByMessages() throws {
    let ends = makePipe()
    let target = try LoopThread { loop in
      loop.add(DescriptorSource(descriptor: ends.reading, events: .readable) { _ in }, to: .default)
    }
    for round in 0..<200 {
      if round % 2 == 0 { spin { target.loop.isWaiting } }
      let answer = try target.loop.performAndWait { round }
      #expect(answer == round)
    }
    target.stop()
    close(ends.reading)
    close(ends.writing)
  }

  @Test func readinessIsReportedAsLongAsItLasts() throws {
    let ends = makePipe()
    let record = Record()
    try onThread { loop in
      for _ in 0..<3 { writeByte(ends.writing) }
      let source = DescriptorSource(descriptor: ends.reading, events: .readable) { events in
        if events.contains(.readable) {
          readByte(ends.reading)
          record.add("byte")
        } else {
          record.add("hung up: \(events.contains(.hangUp))")
          loop.stop()
        }
      }
      loop.add(source, to: .default)
      loop.perform { close(ends.writing) }
      loop.run()
      loop.remove(source)
      record.add("\(loop.run())")
    }
    #expect(record.all == ["byte", "byte", "byte", "hung up: true", "finished"])
    close(ends.reading)
  }

  @Test func sourceRemovedByAnotherOfTheBatchIsNotCalled() throws {
    let (first, second) = (makePipe(), makePipe())
    let called = Counter()
    let result = try onThread { loop in
      let sources = Locked<[DescriptorSource]>("test", [])
      for reading in [first.reading, second.reading] {
        let source = DescriptorSource(descriptor: reading, events: .readable) { _ in
          called.increment()
          for source in sources.withLock({ $0 }) { source.invalidate() }
        }
        sources.withLock { $0.append(source) }
        loop.add(source, to: .default)
      }
      writeByte(first.writing)
      writeByte(second.writing)
      return loop.run()
    }
    #expect(result == .finished)
    #expect(called.value == 1)
    for descriptor in [first.reading, first.writing, second.reading, second.writing] { close(descriptor) }
  }

  @Test func busyLoopDoesNotStarveItsDescriptors() throws {
    let ends = makePipe()
    let turns = Counter()
    try onThread { loop in
      writeByte(ends.writing)
      let source = DescriptorSource(descriptor: ends.reading, events: .readable) { _ in loop.stop() }
      loop.add(source, to: .default)
      @Sendable func again() {
        turns.increment()
        loop.perform { again() }
      }
      again()
      loop.run()
    }
    // Handed in before the loop, once in the first turn, and once in the turn that meets the stop.
    #expect(turns.value == 3)
    close(ends.reading)
    close(ends.writing)
  }

  @Test func sourceIsNotHandledAgainInsideItsHandlerButAfterIt() throws {
    let ends = makePipe()
    let record = Record()
    try onThread { loop in
      let other = RunLoopMode("other")
      writeByte(ends.writing)
      let calls = Counter()
      let source = DescriptorSource(descriptor: ends.reading, events: .readable) { _ in
        record.add("begins")
        // Still readable, in the same mode and in another.
        for mode in [RunLoopMode.default, .default, other] {
          record.add("\(loop.run(mode: mode, until: .distantPast))")
        }
        if calls.increment() == 2 {
          readByte(ends.reading)
          loop.stop()
        }
        record.add("ends")
      }
      loop.add(CustomSource("keeps the modes from being empty") {}, to: .common)
      loop.add(source, to: .default)
      loop.add(source, to: other)
      loop.run()
    }
    let once = ["begins", "timedOut", "timedOut", "timedOut", "ends"]
    #expect(record.all == once + once)
    close(ends.reading)
    close(ends.writing)
  }

  @Test func runInsideAHandlerTakesTheRestOfTheBatch() throws {
    let (first, second) = (makePipe(), makePipe())
    let record = Record()
    try onThread { loop in
      writeByte(first.writing)
      writeByte(second.writing)
      for (reading, name) in [(first.reading, "first"), (second.reading, "second")] {
        let source = DescriptorSource(descriptor: reading, events: .readable) { _ in
          readByte(reading)
          record.add(name)
          // The other one is handled here; if the outer run called it again, its read would block for ever.
          loop.run(until: .distantPast)
        }
        loop.add(source, to: .default)
      }
      loop.run(until: .distantPast)
      loop.run(until: .distantPast)
    }
    #expect(record.all == ["first", "second"])
    for descriptor in [first.reading, first.writing, second.reading, second.writing] { close(descriptor) }
  }

  @Test func whatCannotBeWatchedIsInvalid() throws {
    let record = Record()
    let ends = makePipe()
    let results = try onThread { loop in
      let file = open("/proc/self/stat", O_RDONLY)
      defer { close(file) }
      var sources: [DescriptorSource] = []
      for (name, descriptor) in [
        ("closed", Int32(1 << 20)), ("file", file), ("good", ends.reading), ("twice", ends.reading),
      ] {
        let source = DescriptorSource(descriptor: descriptor, events: .readable) { events in
          record.add("\(name) \(events == .invalid)")
        }
        sources.append(source)
        loop.add(source, to: .common)
      }
      let first = loop.run(until: .distantPast)
      record.add("\(sources.map(\.isValid))")
      loop.remove(sources[2])
      return [first, loop.run()]
    }
    #expect(results == [.timedOut, .finished])
    #expect(record.all == ["closed true", "file true", "twice true", "[false, false, true, false]"])
    close(ends.reading)
    close(ends.writing)
  }

  @Test func descriptorAddedByAnotherThreadIsWatched() throws {
    let ends = makePipe()
    let target = try LoopThread()
    spin { target.loop.isWaiting }
    let source = DescriptorSource(descriptor: ends.reading, events: .readable) { _ in ThreadRunLoop.current.stop() }
    target.loop.add(source, to: .default)
    try target.loop.performAndWait {}
    spin { target.loop.isWaiting }
    writeByte(ends.writing)
    target.thread.join()
    close(ends.reading)
    close(ends.writing)
  }
}
