import Locks
import RunLoops
import Testing

@Suite struct PerformTests {
  @Test func blocksRunInTheirOrder() throws {
    let record = Record()
    let result = try onThread { loop in
      for number in 0..<5 { loop.perform { record.add("\(number)") } }
      return loop.run()
    }
    #expect(result == .finished)
    #expect(record.all == ["0", "1", "2", "3", "4"])
  }

  @Test func blocksOfSeveralThreadsKeepEachThreadsOrder() throws {
    let target = try LoopThread()
    let seen = Locked<[[Int]]>("test", [[], [], []])
    let senders = try (0..<3).map { sender in
      try start {
        for number in 0..<2000 {
          target.loop.perform { seen.withLock { $0[sender].append(number) } }
        }
      }
    }
    for sender in senders { sender.join() }
    try target.loop.performAndWait {}
    target.stop()
    #expect(seen.withLock { $0 } == Array(repeating: Array(0..<2000), count: 3))
  }

  @Test func blockHandedInByABlockWaitsForTheNextTurn() throws {
    let record = Record()
    try onThread { loop in
      loop.add(RunLoopObserver(.beforeTimers) { _ in record.add("turn") }, to: .default)
      loop.perform {
        record.add("first")
        loop.perform { record.add("second") }
      }
      loop.perform { record.add("third") }
      loop.run()
    }
    #expect(record.all == ["turn", "first", "third", "turn", "second", "turn"])
  }

  @Test func blockWaitsForItsModeAndKeepsItsPlace() throws {
    let record = Record()
    let other = RunLoopMode("other")
    let results = try onThread { loop in
      loop.perform(inModes: [other]) { record.add("other 1") }
      loop.perform(inModes: [.default, other]) { record.add("either") }
      loop.perform { record.add("common 1") }
      loop.perform(inModes: [other]) { record.add("other 2") }
      let first = loop.run()
      record.add("-")
      loop.perform { record.add("common 2") }
      let second = loop.run(mode: other)
      record.add("-")
      let third = loop.run()
      return [first, second, third]
    }
    #expect(results == [.finished, .finished, .finished])
    #expect(record.all == ["either", "common 1", "-", "other 1", "other 2", "-", "common 2"])
  }

  @Test func nestedRunTakesTheRestOfTheBatch() throws {
    let record = Record()
    try onThread { loop in
      loop.perform {
        record.add("outer begins")
        loop.run(until: .distantPast)
        record.add("outer ends")
      }
      loop.perform { record.add("second") }
      loop.run()
    }
    #expect(record.all == ["outer begins", "second", "outer ends"])
  }

  @Test func longQueueKeepsItsOrder() throws {
    let seen = Locked<[Int]>("test", [])
    try onThread { loop in
      for number in 0..<10_000 { loop.perform { seen.withLock { $0.append(number) } } }
      loop.run()
    }
    #expect(seen.withLock { $0 } == Array(0..<10_000))
  }

  @Test func performAndWaitReturnsAndThrows() throws {
    struct Failure: Error {}
    let target = try LoopThread()
    let names = try (0..<4).map { index in
      try start {
        for round in 0..<500 {
          let answer = try? target.loop.performAndWait { "\(currentName()) \(index) \(round)" }
          precondition(answer == "test \(index) \(round)")
        }
      }
    }
    for thread in names { thread.join() }
    #expect(throws: Failure.self) { try target.loop.performAndWait { throw Failure() } }
    target.stop()
  }

  @Test func performAndWaitOnTheOwnThreadRunsAtOnce() throws {
    let value = try onThread { loop in
      try loop.performAndWait { OwnedThread.current === nil ? 0 : 5 }
    }
    #expect(value == 5)
  }

  @Test func anEndedLoopTakesNothing() throws {
    let loop = try onThread { $0 }
    let released = Record()
    do {
      let held = Noted { released.add("released") }
      #expect(!loop.perform { withExtendedLifetime(held) {} })
    }
    #expect(released.all == ["released"])
    #expect(throws: RunLoopError.loopEnded) { try loop.performAndWait {} }
    loop.stop()
    loop.wakeUp()
  }

  @Test(arguments: [[RunLoopMode.common], [RunLoopMode("never entered")]])
  func whoWaitsIsToldWhenTheLoopEnds(_ modes: [RunLoopMode]) throws {
    let posted = Gate()
    let outcome = Locked<RunLoopError?>("test", nil)
    let shared = Locked<ThreadRunLoop?>("test", nil)
    let made = Gate()
    let target = try start {
      let loop = ThreadRunLoop.current
      loop.testHook = { if $0 == .beforeMessageBit { posted.open() } }
      shared.withLock { $0 = loop }
      made.open()
      posted.wait()
      // Once in the mailbox only, once moved to where blocks of other modes are held.
      if modes != [.common] { loop.run() }
    }
    made.wait()
    let waiter = try start {
      do {
        try shared.withLock { $0 }?.performAndWait(inModes: modes) {}
      } catch {
        outcome.withLock { $0 = error as? RunLoopError }
      }
    }
    waiter.join()
    target.join()
    #expect(outcome.withLock { $0 } == .loopEnded)
  }
}
