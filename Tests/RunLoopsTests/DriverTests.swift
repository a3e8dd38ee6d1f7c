import Glibc
import Locks
import RunLoops
import Testing

/// The driver's contract, one scripted step at a time.
@Suite struct DriverTests {
  /// Answers what the script says, turn by turn, then `end`.
  final class Script: RunLoopDriver {
    typealias Step = (ThreadRunLoop) -> RunLoopVerdict
    private var steps: [Step]
    private let messages: (ThreadRunLoop) -> Void

    init(_ steps: [Step], messages: @escaping (ThreadRunLoop) -> Void = { $0.cancelPark() }) {
      self.steps = steps
      self.messages = messages
    }

    func turn(in loop: ThreadRunLoop) -> RunLoopVerdict { steps.isEmpty ? .end : steps.removeFirst()(loop) }

    func willHandleMessages(in loop: ThreadRunLoop) { messages(loop) }
  }

  @Test func turnsGoOnUntilTheEnd() throws {
    let seen = try onThread { loop in
      loop.setDriver(Script([{ _ in .again }, { _ in .again }]), modes: [.default])
      return "\(loop.run()) after \(loop.statistics.iterationsTotal), waits \(loop.statistics.waitsTotal)"
    }
    #expect(seen == "stopped after 3, waits 0")
  }

  @Test func driverHasNoSayInOtherModesAndIsReleased() throws {
    let record = Record()
    try onThread { loop in
      let held = Noted { record.add("released") }
      loop.setDriver(
        Script([{ _ in withExtendedLifetime(held) { .end } }]), modes: [RunLoopMode("worker")])
      record.add("\(loop.run()) in default")
      record.add("\(loop.run(mode: RunLoopMode("worker"))) in worker")
      loop.setDriver(nil, modes: [])
    }
    #expect(record.all == ["finished in default", "stopped in worker", "released"])
  }

  @Test func driverIsNotAskedInsideItsOwnTurn() throws {
    let record = Record()
    try onThread { loop in
      let script = Script(
        [
          { loop in
            loop.perform { record.add("block") }
            record.add("nested \(loop.run())")
            return .again
          },
          { _ in
            record.add("second turn")
            return .end
          },
        ], messages: { _ in record.add("told") })
      loop.setDriver(script, modes: [.default])
      loop.run()
      loop.setDriver(nil)
    }
    // Inside its turn it is not told either: it knows. At the end of the run it is.
    #expect(record.all == ["block", "nested finished", "second turn", "told"])
  }

  @Test func tokenBeforeTheCommitKeepsTheLoopAwake() throws {
    let seen = try onThread { loop in
      let owed = loop.deliverToken().isOwed
      let prepared = loop.prepareToPark()
      let consumed = [loop.consumeToken(), loop.consumeToken()]
      return [owed, prepared] + consumed
    }
    #expect(seen == [false, false, true, false])
  }

  @Test func messageBeforeTheCommitKeepsTheLoopAwake() throws {
    let record = Record()
    try onThread { loop in
      let script = Script([
        { loop in
          loop.perform { record.add("block") }
          record.add("prepared \(loop.prepareToPark())")
          return .again
        },
        { loop in
          record.add("prepared \(loop.prepareToPark())")
          loop.cancelPark()
          return .end
        },
      ])
      loop.setDriver(script, modes: [.default])
      loop.run()
    }
    #expect(record.all == ["prepared false", "block", "prepared true"])
  }

  @Test(arguments: [false, true])
  func tokenAfterTheCommitIsOwedOnceAndEndsTheSleep(_ inEpoll: Bool) throws {
    let record = Record()
    let ends = makePipe()
    try onThread { loop in
      if inEpoll { loop.add(DescriptorSource(descriptor: ends.reading, events: .readable) { _ in }, to: .default) }
      let script = Script([
        { loop in
          record.add("prepared \(loop.prepareToPark())")
          let debt = loop.deliverToken()
          record.add("owed \(debt.isOwed) \(loop.deliverToken().isOwed)")
          // Before the sleep: the word has the token, so there is none, paid or not.
          return .park(until: .max)
        },
        { loop in
          record.add("consumed \(loop.consumeToken())")
          record.add("prepared \(loop.prepareToPark())")
          loop.cancelPark()
          return .end
        },
      ])
      loop.setDriver(script, modes: [.default])
      loop.run()
      record.add("waits \(loop.statistics.waitsTotal)")
    }
    #expect(record.all == ["prepared true", "owed true false", "consumed true", "prepared true", "waits 0"])
    close(ends.reading)
    close(ends.writing)
  }

  @Test func tokenAndMessageTogetherTellTheDriverFirst() throws {
    let record = Record()
    try onThread { loop in
      let script = Script(
        [
          { loop in
            _ = loop.prepareToPark()
            loop.perform { record.add("block") }
            // The message is there: who sent it pays for both.
            record.add("owed \(loop.deliverToken().isOwed)")
            return .park(until: .max)
          },
          { loop in
            record.add("turn, token \(loop.consumeToken())")
            return .end
          },
        ],
        messages: { loop in
          record.add("told, token \(loop.consumeToken())")
        })
      loop.setDriver(script, modes: [.default])
      loop.run()
      loop.setDriver(nil)
    }
    #expect(
      record.all == [
        "owed false", "told, token true", "block", "turn, token false", "told, token false",
      ])
  }

  @Test func parkedDriverIsToldBeforeTimersAndDescriptorsAndTheEnd() throws {
    let record = Record()
    let ends = makePipe()
    try onThread { loop in
      let clock = ManualClock(1000)
      loop.setClock(clock)
      loop.testHook = { if $0 == .beforeWait { clock.advance(100) } }
      let park: Script.Step = { loop in
        record.add("prepared \(loop.prepareToPark())")
        return .park(until: .max)
      }
      let script = Script([park, park, park]) { loop in
        record.add("told")
        loop.cancelPark()
      }
      loop.setDriver(script, modes: [.default])
      loop.add(RunLoopTimer(after: .nanoseconds(50)) { _ in record.add("timer") }, to: .default)
      loop.run(returnAfterSourceHandled: true)
      record.add("-")
      let source = DescriptorSource(descriptor: ends.reading, events: .readable) { _ in record.add("descriptor") }
      loop.add(source, to: .default)
      writeByte(ends.writing)
      loop.run(returnAfterSourceHandled: true)
      record.add("-")
      readByte(ends.reading)
      record.add("\(loop.run(until: Deadline(nanoseconds: clock.now() + 50)))")
      loop.setDriver(nil)
    }
    #expect(
      record.all == [
        "prepared true", "told", "timer", "told", "-", "prepared true", "told", "descriptor", "told", "-",
        "prepared true", "told", "timedOut",
      ])
    close(ends.reading)
    close(ends.writing)
  }

  @Test func timeOutOfAParkAsksTheDriverWhichMayParkOn() throws {
    let record = Record()
    try onThread { loop in
      let clock = ManualClock(1000)
      loop.setClock(clock)
      loop.testHook = { if $0 == .beforeWait { clock.advance(100) } }
      let script = Script([
        { loop in
          record.add("prepared \(loop.prepareToPark())")
          return .park(until: 1050)
        },
        { loop in
          record.add("timed out, token \(loop.consumeToken())")
          return .park(until: 1150)
        },
        { loop in
          record.add("owed \(loop.deliverToken().isOwed)")
          record.add("token \(loop.consumeToken())")
          return .end
        },
      ])
      loop.setDriver(script, modes: [.default])
      record.add("\(loop.run())")
    }
    #expect(
      record.all == ["prepared true", "timed out, token false", "owed true", "token true", "stopped"])
  }

  @Test func watchingADescriptorChangesWhereTheLoopSleeps() throws {
    let record = Record()
    let ends = makePipe()
    try onThread { loop in
      let source = DescriptorSource(descriptor: ends.reading, events: .readable) { _ in
        record.add("descriptor")
        readByte(ends.reading)
      }
      // The observer comes after the park was prepared on the word, and before the sleep.
      loop.add(
        RunLoopObserver(.beforeWaiting, repeats: false) { _ in
          loop.add(source, to: .default)
          writeByte(ends.writing)
        }, to: .default)
      let park: Script.Step = { loop in
        record.add("prepared \(loop.prepareToPark())")
        return .park(until: .max)
      }
      let script = Script([park, park]) { loop in
        record.add("told")
        loop.cancelPark()
      }
      loop.setDriver(script, modes: [.default])
      loop.run()
      loop.setDriver(nil)
    }
    #expect(record.all == ["prepared true", "told", "prepared true", "told", "descriptor", "told"])
    close(ends.reading)
    close(ends.writing)
  }

  @Test func parkWithoutPreparationEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      ThreadRunLoop.current.setDriver(Script([{ _ in .park(until: .max) }]), modes: [.default])
      ThreadRunLoop.current.run()
    }
    await #expect(processExitsWith: .failure) {
      // It does not take itself off the stack.
      let script = Script([{ loop in loop.prepareToPark() ? .park(until: .max) : .end }], messages: { _ in })
      ThreadRunLoop.current.setDriver(script, modes: [.default])
      ThreadRunLoop.current.run(until: .distantPast)
    }
  }
}
