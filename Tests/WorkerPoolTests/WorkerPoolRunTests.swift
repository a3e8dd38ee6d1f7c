import CPlatform
import Locks
import RunLoops
import Synchronization
import Testing

@testable import WorkerPool

/// A pool without lanes: what it runs, what it refuses, how it ends.
@Suite struct WorkerPoolRunTests {
  @Test func everyItemRunsExactlyOnce() throws {
    let running = try RunningPool(min: 2, max: 4) { $0.queueLimit = 100_000 }
    let runs = (0..<20_000).map { _ in Counter() }
    for counter in runs {
      #expect(running.submit { _ in counter.increment() })
    }
    running.finish()
    #expect(runs.allSatisfy { $0.value == 1 })
    #expect(eventually { running.pool.statistics().runsTotal == 20_000 })
    #expect(running.pool.statistics().rejectedTotal == 0)
  }

  @Test func manySubmittersLoseNothing() throws {
    let running = try RunningPool(min: 3, max: 6) { $0.queueLimit = 100_000 }
    let count = Counter()
    let submitters = try (0..<4).map { number in
      try OwnedThread.start(ThreadOptions(name: "submitter")) {
        for _ in 0..<3000 { running.submit { _ in count.increment() } }
      }
    }
    for submitter in submitters { submitter.join() }
    running.finish()
    #expect(count.value == 12_000)
  }

  /// Items of one submitter, run by one worker, keep their order.
  @Test func oneWorkerKeepsTheOrder() throws {
    let running = try RunningPool(min: 1, max: 1)
    let order = Locked<[Int]>("test.order", [])
    for number in 0..<500 { running.submit { _ in order.withLock { $0.append(number) } } }
    running.finish()
    #expect(order.withLock { $0 } == Array(0..<500))
  }

  @Test func workersKnowThemselves() throws {
    let running = try RunningPool(min: 1, max: 1)
    let found = Locked<[String]>("test.found", [])
    running.submit { worker in
      let isCurrent = Worker.current === worker && worker.loop === ThreadRunLoop.current
      found.withLock { $0 = [worker.name, OwnedThread.current?.name ?? "none", "\(isCurrent)"] }
    }
    running.finish()
    #expect(found.withLock { $0 } == ["\(running.prefix)-1", "\(running.prefix)-1", "true"])
    #expect(Worker.current == nil)
  }

  @Test func fullQueueRefuses() throws {
    let running = try RunningPool(min: 1, max: 1) { $0.queueLimit = 2 }
    let (gate, entered, runs) = (Gate(), Gate(), Counter())
    running.submit { _ in
      entered.open()
      gate.wait()
    }
    entered.wait()
    #expect(running.submit { _ in runs.increment() })
    #expect(running.submit { _ in runs.increment() })
    #expect(!running.submit { _ in runs.increment() })
    #expect(running.pool.statistics().rejectedTotal == 1)
    #expect(running.pool.statistics().queueDepth == 2)
    gate.open()
    running.finish()
    #expect(runs.value == 2)
  }

  /// What waits too long is told so by the monitor, which no blocked worker can keep from it.
  @Test func queueDeadlineExpiresWhatWaits() throws {
    let running = try RunningPool(min: 1, max: 1) { $0.queueDeadline = .milliseconds(20) }
    let (gate, entered, runs, expired) = (Gate(), Gate(), Counter(), Counter())
    running.submit { _ in
      entered.open()
      gate.wait()
    }
    entered.wait()
    let isOnWorker = Counter()
    for _ in 0..<5 {
      running.pool.submit(
        Job(onExpiry: {
          if Worker.current != nil { isOnWorker.increment() }
          expired.increment()
        }) { _ in runs.increment() })
    }
    #expect(eventually { expired.value == 5 })
    #expect(running.pool.statistics().expiredTotal == 5)
    #expect(running.pool.statistics().queueDepth == 0)
    gate.open()
    running.finish()
    #expect(runs.value == 0)
    #expect(isOnWorker.value == 0)
  }

  /// A deadline of zero is none.
  @Test func zeroQueueDeadlineIsNone() throws {
    let running = try RunningPool(min: 1, max: 1) { $0.queueDeadline = .zero }
    let (gate, entered, runs) = (Gate(), Gate(), Counter())
    running.submit { _ in
      entered.open()
      gate.wait()
    }
    entered.wait()
    running.submit { _ in runs.increment() }
    // The monitor looks at the queue several times.
    let looks = Counter()
    let loop = try LoopThread("looks")
    loop.loop.add(
      RunLoopTimer(after: .milliseconds(2), every: .milliseconds(2)) { _ in looks.increment() }, to: .common)
    #expect(eventually { looks.value > 5 })
    loop.stop()
    #expect(running.pool.statistics().expiredTotal == 0)
    gate.open()
    running.finish()
    #expect(runs.value == 1)
  }

  @Test func closingRunsWhatIsQueuedAndTakesNothingMore() throws {
    let running = try RunningPool(min: 2, max: 2)
    let (gate, entered, runs) = (Gate(), Counter(), Counter())
    for _ in 0..<2 {
      running.submit { _ in
        entered.increment()
        gate.wait()
      }
    }
    #expect(eventually { entered.value == 2 })
    for _ in 0..<100 { #expect(running.submit { _ in runs.increment() }) }
    running.pool.close()
    #expect(!running.submit { _ in runs.increment() })
    #expect(!running.pool.isFinished)
    #expect(!running.pool.waitUntilFinished(before: .distantPast))
    gate.open()
    running.leave()
    #expect(runs.value == 100)
    #expect(running.pool.isFinished)
  }

  /// Items that submit items: what is in the queue when the pool closes may not be the end of it.
  @Test func itemsMaySubmitItems() throws {
    let running = try RunningPool(min: 2, max: 3)
    let (runs, done) = (Counter(), Gate())
    @Sendable func submit(_ depth: Int) {
      let isTaken = running.submit { _ in
        runs.increment()
        if depth == 0 { done.open() } else { submit(depth - 1) }
      }
      if !isTaken { done.open() }
    }
    submit(2000)
    done.wait()
    running.finish()
    #expect(runs.value == 2001)
  }

  /// A context outlives its worker, and there are never more than there were workers at once.
  @Test func contextsPassToLaterWorkers() throws {
    final class Context: Sendable { let runs = Counter() }
    let running = try RunningPool(min: 1, max: 2, idle: .milliseconds(20), makeContext: { Context() })
    for _ in 0..<3 {
      let (gate, entered) = (Gate(), Counter())
      for _ in 0..<2 {
        running.submit { worker in
          (worker.context as? Context)?.runs.increment()
          entered.increment()
          gate.wait()
        }
      }
      #expect(eventually { entered.value == 2 })
      gate.open()
      #expect(eventually { running.started == 1 })
    }
    running.finish()
    let contexts = running.pool.contextsOfAllWorkers.compactMap { $0 as? Context }
    #expect(contexts.count == 2)
    #expect(contexts.reduce(0) { $0 + $1.runs.value } == 6)
  }

  @Test func limitsThatCannotServeAreRefused() throws {
    let bad = [(0, 1), (3, 2), (1, PoolLimits.most + 1)]
    for (least, most) in bad {
      #expect(throws: PoolError.self) {
        try WorkerPool(
          configuration: PoolConfiguration(limits: PoolLimits(minThreads: least, maxThreads: most)))
      }
    }
    #expect(PoolLimits(minThreads: 1, maxThreads: 1).problem(lanes: 1) != nil)
    #expect(PoolLimits(minThreads: 2, maxThreads: 2).problem(lanes: 1) == nil)
    #expect(PoolLimits(minThreads: 2, maxThreads: 2, idleTimeout: .zero).problem(lanes: 0) != nil)
    let running = try RunningPool(min: 2, max: 2)
    #expect(throws: PoolError.self) {
      try running.pool.setLimits(PoolLimits(minThreads: 4, maxThreads: 2))
    }
    #expect(running.pool.limits.minThreads == 2)
    running.finish()
  }
}
