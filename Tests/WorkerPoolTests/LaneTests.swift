import Locks
import RunLoops
import Synchronization
import Testing

@testable import WorkerPool

/// Lanes and their leaders, with real threads.
@Suite struct LaneTests {
  @Test(arguments: [1, 2, 3]) func everyProducedItemRunsOnce(_ count: Int) throws {
    let lanes = (0..<count).map { _ in FakeLane() }
    let running = try RunningPool(min: count + 2, max: count + 3, lanes: lanes) { $0.queueLimit = 100_000 }
    let runs = (0..<6000).map { _ in Counter() }
    let producers = try lanes.indices.map { index in
      try OwnedThread.start(ThreadOptions(name: "producer")) {
        for number in stride(from: index, to: runs.count, by: count) {
          lanes[index].produce(isLong: number % 7 == 0) { _ in runs[number].increment() }
        }
      }
    }
    for producer in producers { producer.join() }
    for lane in lanes { lane.drain() }
    running.finish()
    #expect(runs.allSatisfy { $0.value == 1 })
    #expect(lanes.allSatisfy { $0.problems == [] && $0.isClosed })
  }

  /// An item that blocks hands the leadership on: what another producer brings proceeds.
  @Test(arguments: [false, true]) func blockedItemHandsLeadershipOn(_ isLong: Bool) throws {
    let lane = FakeLane()
    let running = try RunningPool(min: 2, max: 4, lanes: [lane])
    let (gate, entered) = (Gate(), Gate())
    lane.produce(isLong: isLong) { _ in
      entered.open()
      gate.wait()
    }
    entered.wait()
    for _ in 0..<50 {
      let ran = Gate()
      lane.produce { _ in ran.open() }
      ran.wait()
      lane.ping().wait()
    }
    gate.open()
    lane.drain()
    running.finish()
    #expect(lane.problems == [])
  }

  /// Items of one batch do not wait behind the first one: an item that waits for a later one of its batch is served.
  @Test func batchMatesDoNotWaitBehindABlockedItem() throws {
    let lane = FakeLane()
    for _ in 0..<10 { lane.produceChain(5) }
    let running = try RunningPool(min: 7, max: 7, lanes: [lane])
    #expect(eventually { lane.finished.value == 50 }, "\(running.pool.dump)")
    lane.drain()
    running.finish()
    #expect(lane.problems == [])
  }

  /// When all but one are blocked the last one leads: it answers what needs no handler, and queues the rest.
  @Test func lastThreadKeepsLeading() throws {
    let lane = FakeLane()
    let running = try RunningPool(min: 2, max: 3, lanes: [lane])
    let (gate, entered, runs) = (Gate(), Counter(), Counter())
    for _ in 0..<2 {
      lane.produce { _ in
        entered.increment()
        gate.wait()
      }
    }
    #expect(eventually { entered.value == 2 }, "\(running.pool.dump)")
    for _ in 0..<20 { lane.produce { _ in runs.increment() } }
    for _ in 0..<20 { lane.ping().wait() }
    #expect(runs.value == 0)
    #expect(running.pool.statistics().queueDepth == 20)
    #expect(running.pool.saturatedSeconds > 0)
    #expect(running.pool.statistics().count(.leading) == 1)
    gate.open()
    #expect(eventually { runs.value == 20 }, "\(running.pool.dump)")
    lane.drain()
    running.finish()
    #expect(lane.problems == [])
  }

  /// What the full queue cannot take is refused by the last leader.
  @Test func leaderRefusesWhatTheQueueCannotTake() throws {
    let lane = FakeLane()
    let running = try RunningPool(min: 2, max: 2, lanes: [lane]) { $0.queueLimit = 3 }
    let (gate, entered, runs) = (Gate(), Gate(), Counter())
    lane.produce { _ in
      entered.open()
      gate.wait()
    }
    entered.wait()
    for _ in 0..<10 { lane.produce { _ in runs.increment() } }
    #expect(eventually { lane.refused.value == 7 }, "\(running.pool.dump)")
    #expect(running.pool.statistics().rejectedTotal == 7)
    #expect(running.pool.statistics().queueDepth == 3)
    gate.open()
    lane.drain()
    running.finish()
    #expect(runs.value == 3)
    #expect(lane.problems == [])
  }

  /// Two lanes: a handler of the one that waits for the other's does not stop either.
  @Test func itemMayWaitForTheOtherLane() throws {
    let lanes = [FakeLane(), FakeLane()]
    let running = try RunningPool(min: 3, max: 3, lanes: lanes)
    for round in 0..<50 {
      let (done, started) = (Gate(), Gate())
      lanes[round % 2].produce { _ in
        started.open()
        lanes[(round + 1) % 2].ping().wait()
        lanes[round % 2].ping().wait()
        done.open()
      }
      started.wait()
      done.wait()
    }
    for lane in lanes { lane.drain() }
    running.finish()
    #expect(lanes.allSatisfy { $0.problems == [] })
  }

  /// A drain waits for what is not finished, and then closes each lane once.
  @Test func drainClosesTheLaneAfterTheLastItem() throws {
    let lane = FakeLane()
    let running = try RunningPool(min: 2, max: 4, lanes: [lane])
    let (gate, entered, runs) = (Gate(), Gate(), Counter())
    lane.produce { _ in
      entered.open()
      gate.wait()
    }
    entered.wait()
    for _ in 0..<10 { lane.produce { _ in runs.increment() } }
    running.pool.close()
    lane.drain()
    #expect(eventually { runs.value == 10 }, "\(running.pool.dump)")
    #expect(!lane.isClosed)
    #expect(!running.pool.isFinished)
    gate.open()
    running.leave()
    #expect(lane.isClosed)
    #expect(lane.problems == [])
  }

  /// Lanes that are drained one after the other: the pool goes on with the rest.
  @Test func lanesMayCloseOneByOne() throws {
    let lanes = [FakeLane(), FakeLane(), FakeLane()]
    let running = try RunningPool(min: 4, max: 4, lanes: lanes)
    for index in lanes.indices {
      for lane in lanes[index...] { lane.ping().wait() }
      lanes[index].drain()
      #expect(eventually { lanes[index].isClosed }, "\(running.pool.dump)")
    }
    let ran = Gate()
    running.submit { _ in ran.open() }
    ran.wait()
    running.finish()
    #expect(lanes.allSatisfy { $0.problems == [] })
  }

  /// A pool whose threads could not all be made drains the lanes that the others lead.
  @Test func failedStartDrainsItsLanes() throws {
    let lanes = [FakeLane(), FakeLane()]
    let made = Counter()
    let running = try RunningPool.make(min: 3, max: 3, lanes: lanes) {
      $0.willMakeThread = { _ in made.increment() > 1 ? refusal() : nil }
    }
    #expect(throws: PoolError.self) { try running.start() }
    for lane in lanes { lane.drain() }
    running.leaveUnstarted()
    #expect(lanes.allSatisfy { $0.isClosed && $0.problems == [] })
  }
}
