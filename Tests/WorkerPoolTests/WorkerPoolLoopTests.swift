import CPlatform
import Locks
import RunLoops
import Synchronization
import Testing

@testable import WorkerPool

/// Workers live in their run loops: messages, timers and nested runs there.
@Suite struct WorkerPoolLoopTests {
  @Test func messageRunsOnAParkedWorker() throws {
    let running = try RunningPool(min: 2, max: 2)
    #expect(eventually { running.pool.look { $0.parked.count } == 2 })
    for loop in running.loops {
      let isOwn = try loop.performAndWait { ThreadRunLoop.current === loop && Worker.current?.loop === loop }
      #expect(isOwn)
    }
    // They are back on the stack, and serve.
    #expect(eventually { running.pool.look { $0.parked.count } == 2 }, "\(running.pool.dump)")
    let ran = Gate()
    running.submit { _ in ran.open() }
    ran.wait()
    running.finish()
  }

  @Test func messageRunsOnALeader() throws {
    let lane = FakeLane()
    let running = try RunningPool(min: 2, max: 2, lanes: [lane])
    for _ in 0..<200 {
      for loop in running.loops { #expect(try loop.performAndWait { Worker.current?.loop === loop }) }
      lane.ping().wait()
    }
    lane.drain()
    running.finish()
    #expect(lane.problems == [])
  }

  /// The time at which a handler ended is no longer the present one for the next item, if a message was handled between the two.
  @Test func theTimeIsReadAnewAfterAMessage() throws {
    let running = try RunningPool(min: 1, max: 1)
    let times = Locked<(message: Int64, item: Int64)>("test.times", (0, 0))
    let (entered, gate) = (Gate(), Gate())
    running.submit { worker in
      entered.open()
      gate.wait()
      worker.loop.perform { times.withLock { $0.message = heddle_now() } }
    }
    entered.wait()
    running.submit { worker in times.withLock { $0.item = worker.clock } }
    gate.open()
    running.finish()
    let (message, item) = times.withLock { $0 }
    #expect(message > 0 && item >= message)
  }

  /// While a message of the leader's loop is handled, somebody else leads.
  @Test func leaderThatHandlesAMessageIsReplaced() throws {
    let lane = FakeLane()
    let running = try RunningPool(min: 2, max: 2, lanes: [lane])
    let (gate, entered) = (Gate(), Gate())
    lane.ping().wait()
    let leader = try #require(lane.leader)
    leader.loop.perform {
      entered.open()
      gate.wait()
    }
    entered.wait()
    lane.ping().wait()
    #expect(lane.leader !== leader)
    gate.open()
    lane.drain()
    running.finish()
    #expect(lane.problems == [])
  }

  /// While a message of a follower's loop is handled, the leader is the last one that can lead: it enters no handler.
  @Test func leaderKeepsLeadingWhileTheLastFollowerHandlesAMessage() throws {
    let lane = FakeLane()
    let running = try RunningPool(min: 2, max: 2, lanes: [lane])
    #expect(eventually { running.pool.look { $0.parked.count == 1 && $0.vacantLanes == 0 } })
    let follower = try #require(running.pool.look { $0.parked.last })
    let (gate, entered, release, runs) = (Gate(), Gate(), Gate(), Counter())
    follower.loop.perform {
      entered.open()
      gate.wait()
    }
    entered.wait()
    lane.produce { _ in
      runs.increment()
      release.wait()
    }
    // Were the item run now, this would not be answered.
    for _ in 0..<3 { lane.ping().wait() }
    #expect(runs.value == 0)
    gate.open()
    #expect(eventually { runs.value == 1 }, "\(running.pool.dump)")
    lane.ping().wait()
    release.open()
    lane.drain()
    running.finish()
    #expect(lane.problems == [])
  }

  /// Messages to workers race with items for them: neither is lost, and no call goes astray.
  @Test(arguments: [0, 1]) func messagesAndItemsRace(_ lanes: Int) throws {
    let lane = FakeLane()
    let running = try RunningPool(min: 3, max: 3, lanes: lanes == 1 ? [lane] : []) { $0.queueLimit = 100_000 }
    let (messages, items) = (Counter(), Counter())
    let loops = running.loops
    let sender = try OwnedThread.start(ThreadOptions(name: "sender")) {
      for number in 0..<10_000 { loops[number % loops.count].perform { messages.increment() } }
    }
    for _ in 0..<10_000 { #expect(running.submit { _ in items.increment() }) }
    sender.join()
    #expect(eventually { messages.value == 10_000 && items.value == 10_000 }, "\(running.pool.dump)")
    #expect(eventually { running.pool.look { $0.waking } == 0 }, "\(running.pool.dump)")
    lane.drain()
    running.finish()
    #expect(lane.problems == [])
  }

  /// A message and a call in turn, so that the one often meets the other on a worker that goes to sleep.
  @Test func messagesAndCallsMeetOnTheWayToSleep() throws {
    let running = try RunningPool(min: 1, max: 1)
    let loop = try #require(running.loops.first)
    for _ in 0..<2000 {
      let (message, item) = (Gate(), Gate())
      loop.perform { message.open() }
      running.submit { _ in item.open() }
      item.wait()
      message.wait()
    }
    running.finish()
    #expect(eventually { running.pool.statistics().runsTotal == 2000 })
  }

  @Test func timersFireOnAWorkersLoop() throws {
    let running = try RunningPool(min: 1, max: 1)
    let loop = try #require(running.loops.first)
    let (fired, elsewhere) = (Counter(), Counter())
    loop.add(
      RunLoopTimer(after: .milliseconds(1), every: .milliseconds(1)) { timer in
        if ThreadRunLoop.current !== loop { elsewhere.increment() }
        if fired.increment() == 20 { timer.invalidate() }
      }, to: .common)
    #expect(eventually { fired.value == 20 })
    #expect(elsewhere.value == 0)
    let ran = Gate()
    running.submit { _ in ran.open() }
    ran.wait()
    running.finish()
    #expect(fired.value == 20)
  }

  /// A handler that runs its thread's loop gets its messages, but no work: that is for the worker.
  @Test func handlerMayRunItsLoopInTheDefaultMode() throws {
    let running = try RunningPool(min: 1, max: 1)
    let (entered, stop, runs) = (Gate(), Counter(), Counter())
    let results = Locked<[RunLoopResult]>("test.results", [])
    running.submit { worker in
      let keepAlive = CustomSource("keeps the loop running") {}
      worker.loop.add(keepAlive, to: .default)
      entered.open()
      let result = worker.loop.run(mode: .default, until: .after(.seconds(20)))
      results.withLock { $0.append(result) }
      worker.loop.remove(keepAlive)
    }
    entered.wait()
    let loop = try #require(running.loops.first)
    running.submit { _ in runs.increment() }
    let runsBefore = try loop.performAndWait { runs.value }
    #expect(runsBefore == 0)
    loop.perform {
      stop.increment()
      ThreadRunLoop.current.stop()
    }
    #expect(eventually { runs.value == 1 }, "\(running.pool.dump)")
    #expect(results.withLock { $0 } == [.stopped])
    #expect(stop.value == 1)
    running.finish()
  }

  /// `stop()` in an item ends the run, but not the worker: that is the scheduler's affair.
  @Test func stopDoesNotEndAWorker() throws {
    let running = try RunningPool(min: 1, max: 1)
    for _ in 0..<100 {
      let ran = Gate()
      running.submit { worker in
        ThreadRunLoop.current.stop()
        ran.open()
      }
      ran.wait()
    }
    let loop = try #require(running.loops.first)
    // Parked: it is off the stack and on it again.
    for _ in 0..<100 { loop.stop() }
    let ran = Gate()
    running.submit { _ in ran.open() }
    ran.wait()
    #expect(running.pool.statistics().spawnedTotal == 1)
    running.finish()
    #expect(eventually { running.pool.statistics().runsTotal == 101 })
  }

  /// The same for one that leads.
  @Test func stopDoesNotEndALeader() throws {
    let lane = FakeLane()
    let running = try RunningPool(min: 2, max: 2, lanes: [lane])
    for _ in 0..<100 {
      lane.ping().wait()
      for loop in running.loops { loop.stop() }
    }
    lane.ping().wait()
    #expect(running.pool.statistics().spawnedTotal == 2)
    lane.drain()
    running.finish()
    #expect(lane.problems == [])
  }
}
