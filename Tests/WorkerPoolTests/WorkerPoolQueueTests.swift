import Locks
import RunLoops
import Testing

@testable import WorkerPool

/// The queue's policies with real threads.
@Suite struct WorkerPoolQueueTests {
  /// An item of a kind and a priority.
  private func job(
    _ priority: WorkPriority = .normal, in bulkhead: Bulkhead? = nil, onExpiry: @escaping @Sendable () -> Void = {},
    _ body: @escaping @Sendable () -> Void
  ) -> Job {
    let job = Job(onExpiry: onExpiry) { _ in body() }
    job.priority = priority
    job.bulkhead = bulkhead.map(Unmanaged.passUnretained)
    return job
  }

  /// A single worker is kept busy; what is queued meanwhile is run by priority, and in order within one.
  @Test func itemsRunByPriority() throws {
    let running = try RunningPool(min: 1, max: 1)
    let (entered, gate) = (Gate(), Gate())
    let order = Locked<[String]>("test.order", [])
    running.submit { _ in
      entered.open()
      gate.wait()
    }
    entered.wait()
    for number in 1...3 {
      for priority in WorkPriority.allCases.reversed() {
        running.pool.submit(job(priority) { order.withLock { $0.append("\(priority.name) \(number)") } })
      }
    }
    let depths = running.pool.statistics().depths
    gate.open()
    running.finish()
    #expect(depths == [.high: 3, .normal: 3, .low: 3])
    // Due at 1, 2, 3; at 4, 8, 12; at 16, 32, 48.
    #expect(
      order.withLock { $0 } == [
        "high 1", "high 2", "high 3", "normal 1", "normal 2", "normal 3", "low 1", "low 2", "low 3",
      ])
  }

  /// Thousands of items of three kinds and all priorities, from several threads: each runs once, and never more of a kind at once
  /// than may.
  @Test func bulkheadsHoldWithManyThreads() throws {
    let bulkheads = [Bulkhead(limit: 1), Bulkhead(limit: 2), Bulkhead(limit: 3)]
    let running = try RunningPool(min: 4, max: 6) { $0.queueLimit = 100_000 }
    let (inside, worst) = ((0..<3).map { _ in Counter() }, Locked<[Int]>("test.worst", [0, 0, 0]))
    let runs = (0..<6000).map { _ in Counter() }
    let producers = try (0..<3).map { producer in
      try OwnedThread.start(ThreadOptions(name: "producer")) {
        for number in stride(from: producer, to: runs.count, by: 3) {
          let kind = number / 3 % 4
          let priority = WorkPriority.allCases[number % 7 % 3]
          let item = job(priority, in: kind < 3 ? bulkheads[kind] : nil) {
            if kind < 3 {
              let count = inside[kind].increment()
              worst.withLock { $0[kind] = max($0[kind], count) }
            }
            runs[number].increment()
            if kind < 3 { inside[kind].decrement() }
          }
          running.pool.submit(item)
        }
      }
    }
    for producer in producers { producer.join() }
    running.finish()
    #expect(runs.allSatisfy { $0.value == 1 })
    #expect(worst.withLock { zip($0, bulkheads).allSatisfy { $0 <= $1.limit } })
    #expect(running.pool.figures(of: bulkheads).allSatisfy { $0.running == 0 && $0.waiting == 0 })
    #expect(bulkheads.allSatisfy { $0.taken == 0 })
  }

  /// A kind whose slots are all taken for long keeps nobody else waiting.
  @Test func aStuckKindKeepsNobodyElse() throws {
    let bulkhead = Bulkhead(limit: 1)
    let running = try RunningPool(min: 2, max: 3)
    let (entered, gate, runs) = (Gate(), Gate(), Counter())
    running.pool.submit(
      job(in: bulkhead) {
        entered.open()
        gate.wait()
      })
    entered.wait()
    for _ in 0..<10 { running.pool.submit(job(in: bulkhead) { runs.increment() }) }
    for _ in 0..<20 {
      let ran = Gate()
      running.pool.submit(job { ran.open() })
      ran.wait()
    }
    #expect(running.pool.statistics().heldBack == 10)
    gate.open()
    running.finish()
    #expect(runs.value == 10)
  }

  /// What is held back waits no longer than the queue deadline, though nobody comes for it.
  @Test func whatIsHeldBackExpires() throws {
    let bulkhead = Bulkhead(limit: 1)
    let running = try RunningPool(min: 2, max: 3) { $0.queueDeadline = .milliseconds(20) }
    let (gate, entered, expired) = (Gate(), Counter(), Counter())
    for _ in 0..<11 {
      running.pool.submit(
        job(in: bulkhead, onExpiry: { expired.increment() }) {
          entered.increment()
          gate.wait()
        })
    }
    // One is run, unless the machine is so busy that it expires too.
    #expect(eventually { entered.value + expired.value == 11 }, "\(running.pool.dump)")
    #expect(entered.value <= 1)
    let figures = running.pool.statistics()
    #expect(Int(figures.expiredTotal) == expired.value && figures.queueDepth == 0)
    gate.open()
    running.finish()
  }

  /// All workers are taken for longer than the interval: what waits is shed.
  @Test func aStandingQueueIsShed() throws {
    let running = try RunningPool(min: 1, max: 1) {
      $0.shedTarget = .milliseconds(1)
      $0.shedInterval = .milliseconds(10)
    }
    let (entered, gate, shed) = (Gate(), Gate(), Counter())
    running.submit { _ in
      entered.open()
      gate.wait()
    }
    entered.wait()
    for priority in WorkPriority.allCases { running.pool.submit(job(priority, onExpiry: { shed.increment() }) {}) }
    #expect(eventually { shed.value == 3 }, "\(running.pool.dump)")
    let figures = running.pool.statistics()
    #expect(figures.shedTotal == 3 && figures.queueDepth == 0 && figures.expiredTotal == 0)
    gate.open()
    running.finish()
  }
}
