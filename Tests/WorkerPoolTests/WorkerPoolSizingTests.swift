import Glibc
import Locks
import RunLoops
import Synchronization
import Testing

@testable import WorkerPool

/// How many threads a pool has: growth, shrinking, limits that change, threads that cannot be had.
@Suite struct WorkerPoolSizingTests {
  /// Items that wait for each other force the pool to its maximum, and no further.
  @Test func growsOnDemandToTheMaximum() throws {
    let running = try RunningPool(min: 1, max: 5)
    let (gate, entered) = (Gate(), Counter())
    for _ in 0..<8 {
      running.submit { _ in
        entered.increment()
        gate.wait()
      }
    }
    #expect(eventually { entered.value == 5 })
    #expect(eventually { running.pool.saturatedSeconds > 0 })
    let figures = running.pool.statistics()
    #expect(figures.started == 5)
    #expect(figures.queueDepth == 3)
    #expect(figures.peak == 5)
    #expect(running.threadCount == 5)
    gate.open()
    #expect(eventually { entered.value == 8 })
    running.finish()
    #expect(running.pool.statistics().peak == 5)
    #expect(running.pool.saturatedSeconds == 0)
  }

  @Test func shrinksToTheMinimumWhenIdle() throws {
    let running = try RunningPool(min: 2, max: 6, idle: .milliseconds(20))
    for round in 1...3 {
      let (gate, entered) = (Gate(), Counter())
      for _ in 0..<6 {
        running.submit { _ in
          entered.increment()
          gate.wait()
        }
      }
      #expect(eventually { entered.value == 6 })
      gate.open()
      #expect(eventually { running.started == 2 }, "round \(round): \(running.pool.dump)")
      #expect(eventually { running.threadCount == 2 })
      #expect(
        eventually { running.pool.roster.withLock { $0.threads.count } == 2 }, "the threads that ended are joined")
      // It serves as before.
      let again = Gate()
      running.submit { _ in again.open() }
      again.wait()
      #expect(running.started == 2)
    }
    let figures = running.pool.statistics()
    #expect(figures.ended[.idle] == 12)
    #expect(figures.spawnedTotal == 14)
    // Counted just after the item has said that it ran.
    #expect(eventually { running.pool.statistics().runsTotal == 21 })
    running.finish()
  }

  /// The events tell the same story as the counters.
  @Test func eventsAgreeWithTheCounters() throws {
    let running = try RunningPool(min: 1, max: 4, idle: .milliseconds(20))
    let (gate, entered) = (Gate(), Counter())
    for _ in 0..<4 {
      running.submit { _ in
        entered.increment()
        gate.wait()
      }
    }
    #expect(eventually { entered.value == 4 })
    gate.open()
    #expect(eventually { running.started == 1 })
    running.finish()
    let (events, lastID) = running.pool.events.events(since: 0)
    let figures = running.pool.statistics()
    #expect(events.map(\.id) == Array(1...lastID))
    #expect(events.filter { $0.kind == .spawned }.count == Int(figures.spawnedTotal))
    #expect(events.filter { $0.kind == .ended }.count == Int(figures.ended.total))
    #expect(events.filter { $0.kind == .ended && $0.reason == "idle" }.count == 3)
    #expect(events.filter { $0.kind == .ended && $0.reason == "drained" }.count == 1)
    #expect(events.filter { $0.kind == .spawned && $0.reason == "start" }.count == 1)
    let spawned = Set(events.filter { $0.kind == .spawned }.compactMap(\.worker))
    #expect(spawned == Set(events.filter { $0.kind == .ended }.compactMap(\.worker)))
    #expect(spawned.count == 4)
    #expect(figures.spawnedTotal == figures.ended.total)
  }

  @Test func lowerMaximumEndsThreads() throws {
    let running = try RunningPool(min: 6, max: 6)
    #expect(eventually { running.started == 6 })
    try running.pool.setLimits(PoolLimits(minThreads: 2, maxThreads: 2))
    #expect(eventually { running.started == 2 }, "\(running.pool.dump)")
    #expect(eventually { running.threadCount == 2 })
    #expect(running.pool.statistics().ended[.aboveMaximum] == 4)
    let ran = Gate()
    running.submit { _ in ran.open() }
    ran.wait()
    running.finish()
  }

  /// Those that are at work end when they have done.
  @Test func lowerMaximumWaitsForWhoIsAtWork() throws {
    let running = try RunningPool(min: 4, max: 4)
    let (gate, entered) = (Gate(), Counter())
    for _ in 0..<4 {
      running.submit { _ in
        entered.increment()
        gate.wait()
      }
    }
    #expect(eventually { entered.value == 4 })
    try running.pool.setLimits(PoolLimits(minThreads: 1, maxThreads: 1))
    #expect(running.started == 4)
    gate.open()
    #expect(eventually { running.started == 1 }, "\(running.pool.dump)")
    running.finish()
  }

  @Test func higherMinimumBringsThreadsUp() throws {
    let running = try RunningPool(min: 1, max: 5)
    try running.pool.setLimits(PoolLimits(minThreads: 4, maxThreads: 5))
    #expect(eventually { running.started == 4 }, "\(running.pool.dump)")
    running.finish()
  }

  /// Threads that wait without a time limit look at the new limits.
  @Test func lowerMinimumLetsThreadsEnd() throws {
    let running = try RunningPool(min: 4, max: 5)
    try running.pool.setLimits(PoolLimits(minThreads: 1, maxThreads: 5, idleTimeout: .milliseconds(20)))
    #expect(eventually { running.started == 1 }, "\(running.pool.dump)")
    #expect(running.pool.statistics().ended[.idle] == 3)
    running.finish()
  }

  /// A member is called after its time was over and before it could say so. It has been called, so it does not end: else
  /// the call would be lost with it, and with the call all later ones.
  @Test func memberThatIsCalledAtTheLastMomentDoesNotEnd() throws {
    let running = try RunningPool(min: 1, max: 2, idle: .milliseconds(10)) { $0.queueDeadline = .milliseconds(10) }
    let (entered, begin, held, late) = (Counter(), Gate(), Counter(), Counter())
    // By the numbers that the workers of this pool have.
    let go = [1: Gate(), 2: Gate()]
    // On a machine that is busy an item may wait too long for its thread: then there is another one.
    for number in 1...2 {
      #expect(
        eventually {
          let lateBefore = late.value
          let job = Job(onExpiry: { late.increment() }) { worker in
            // On the worker's own thread, and before anybody sends it anything.
            let own = go[worker.id]
            worker.loop.testHook = { point in
              guard point == .afterWait else { return }
              held.increment()
              own?.wait()
            }
            entered.increment()
            begin.wait()
          }
          running.pool.submit(job)
          return eventually { entered.value == number || late.value > lateBefore } && entered.value == number
        }, "\(running.pool.dump)")
    }
    begin.open()
    // Both have slept their time out, and are still on the stack.
    #expect(eventually { held.value == 2 })
    #expect(running.pool.look { $0.parked.count } == 2)
    // One is called. What it was called for goes away meanwhile, so that nothing else keeps it.
    let (expired, runs) = (Counter(), Counter())
    running.pool.submit(Job(onExpiry: { expired.increment() }) { _ in })
    #expect(eventually { expired.value == 1 })
    #expect(running.pool.look { $0.waking } == 1)
    let other = running.pool.look { $0.parked.last?.id }
    for (id, gate) in go where id != other { gate.open() }
    #expect(eventually { running.pool.look { $0.waking } == 0 }, "\(running.pool.dump)")
    for gate in go.values { gate.open() }
    #expect(
      eventually {
        running.submit { _ in runs.increment() }
        return runs.value > 0
      }, "\(running.pool.dump)")
    running.finish()
  }

  // MARK: threads that cannot be had

  @Test func startFailsCleanlyWithoutAnyThread() throws {
    let running = try RunningPool.make(min: 3, max: 3) { $0.willMakeThread = { _ in refusal() } }
    let error = #expect(throws: PoolError.self) { try running.start() }
    guard case .cannotStart(wanted: 3, got: 0, _) = error else {
      Issue.record("not the error that was expected: \(String(describing: error))")
      return
    }
    #expect(running.pool.isFinished)
    #expect(!running.submit { _ in })
    running.leaveUnstarted()
  }

  @Test func startFailsCleanlyWithSomeThreads() throws {
    let made = Counter()
    let running = try RunningPool.make(min: 5, max: 5) {
      $0.willMakeThread = { _ in made.increment() > 3 ? refusal() : nil }
    }
    let error = #expect(throws: PoolError.self) { try running.start() }
    guard case .cannotStart(wanted: 5, got: 3, _) = error else {
      Issue.record("not the error that was expected: \(String(describing: error))")
      return
    }
    running.leaveUnstarted()
    let figures = running.pool.statistics()
    #expect(figures.spawnFailuresTotal == 2)
    #expect(figures.started == 0)
    #expect(figures.ended[.drained] == 3)
  }

  /// A pool that cannot grow goes on with what it has, counts the failures, and grows when it can again.
  @Test func goesOnWhenThreadsCannotBeMade() throws {
    let (tries, allowed, gate, entered, runs) = (Counter(), Gate(), Gate(), Counter(), Counter())
    let mayMake = Locked("test.may-make", true)
    let running = try RunningPool(min: 1, max: 2) {
      $0.tickNanoseconds = 100_000
      $0.willMakeThread = { _ in
        tries.increment()
        return mayMake.withLock { $0 } ? nil : refusal()
      }
    }
    mayMake.withLock { $0 = false }
    running.submit { _ in
      entered.increment()
      allowed.wait()
    }
    #expect(eventually { entered.value == 1 })
    running.submit { _ in
      entered.increment()
      gate.wait()
    }
    // It is tried again, some ticks later each time.
    #expect(eventually { tries.value >= 3 }, "\(running.pool.dump)")
    #expect(entered.value == 1)
    #expect(eventually { running.pool.statistics().spawnFailuresTotal >= 2 })
    #expect(running.pool.events.events(since: 0).events.contains { $0.kind == .spawnFailed })
    mayMake.withLock { $0 = true }
    #expect(eventually { entered.value == 2 }, "\(running.pool.dump)")
    #expect(running.started == 2)
    allowed.open()
    gate.open()
    running.submit { _ in runs.increment() }
    running.finish()
    #expect(runs.value == 1)
  }

  /// The last thing that happens to a closed pool may be a thread that could not be made: who waits for the end hears of it.
  @Test func failedCreationAtTheEndIsToldToo() throws {
    let (entered, gate, isClosing) = (Gate(), Gate(), Locked("test.closing", false))
    let running = try RunningPool(min: 1, max: 2) {
      $0.willMakeThread = { _ in
        guard isClosing.withLock({ $0 }) else { return nil }
        entered.open()
        gate.wait()
        return refusal()
      }
    }
    isClosing.withLock { $0 = true }
    let (blocked, unblock) = (Gate(), Gate())
    running.submit { _ in
      blocked.open()
      unblock.wait()
    }
    blocked.wait()
    // Its submitter makes the thread, and is held there until all others have left.
    let submitter = try OwnedThread.start(ThreadOptions(name: "submitter")) { running.submit { _ in } }
    entered.wait()
    running.pool.close()
    unblock.open()
    #expect(eventually { running.threadCount == 0 })
    #expect(running.whenFinished.value == 0)
    gate.open()
    submitter.join()
    running.leave()
  }
}
