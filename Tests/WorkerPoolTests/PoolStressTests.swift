import Glibc
import Locks
import RunLoops
import Synchronization
import Testing

@testable import WorkerPool

/// Everything at once, on real threads and in an order that a seed gives: nothing is lost, nobody is stranded.
@Suite struct PoolStressTests {
  /// What became of the items.
  final class Books: Sendable {
    let accepted = Counter()
    let runs = Counter()
    let expired = Counter()
    let messages = Counter()
    let messagesTaken = Counter()
  }

  @Test(arguments: [0, 1, 2], 1...4) func anythingAtAnyTime(_ laneCount: Int, _ seed: Int) throws {
    let lanes = (0..<laneCount).map { _ in FakeLane() }
    let running = try RunningPool(
      min: laneCount + 1, max: laneCount + 4, idle: .milliseconds(10), lanes: lanes
    ) {
      $0.queueLimit = 64
      $0.queueDeadline = .milliseconds(seed % 2 == 0 ? 5 : 10_000)
      $0.tickNanoseconds = 200_000
      let refusals = Counter()
      $0.willMakeThread = { _ in
        // Those that a pool starts with are had; of the others, some are not.
        let number = refusals.increment()
        return number > laneCount + 1 && number % 5 == 0 ? refusal() : nil
      }
    }
    let books = Books()
    let drivers = try (0..<3).map { number in
      try OwnedThread.start(ThreadOptions(name: "driver")) {
        var random = SeededNumbers(seed: UInt64(seed * 100 + laneCount * 10 + number))
        for step in 0..<1200 {
          act(running, lanes, books, &random)
          // In the middle of things, and while the others go on.
          if number == 0, step == 1000 {
            running.pool.close()
            for lane in lanes { lane.drain() }
          }
        }
      }
    }
    for driver in drivers { driver.join() }
    // Bounded waits: where somebody is stranded, this fails with what everybody does.
    running.leave()
    let refused = lanes.reduce(0) { $0 + $1.refused.value }
    #expect(books.accepted.value == books.runs.value + books.expired.value + refused)
    #expect(books.runs.value + books.expired.value > 50)
    // A message that was taken may be lost only with the loop that ends before it comes to it.
    #expect(books.messages.value <= books.messagesTaken.value)
    let figures = running.pool.statistics()
    #expect(figures.runsTotal == UInt64(books.runs.value))
    #expect(figures.expiredTotal == UInt64(books.expired.value))
    #expect(figures.spawnedTotal == figures.ended.total)
    #expect(lanes.allSatisfy { $0.problems == [] && $0.isClosed })
    let left = running.pool.look { ($0.waking, $0.pending, $0.outside, $0.parked.count) }
    #expect(left == (0, 0, 0, 0))
  }

  /// One random thing that a program may do to a pool.
  private func act(
    _ running: RunningPool, _ lanes: [FakeLane], _ books: Books, _ random: inout SeededNumbers
  ) {
    switch random.below(100) {
    case 0..<35:
      let job = Job(onExpiry: { books.expired.increment() }, work(books, &random))
      if running.pool.submit(job) { books.accepted.increment() }
    case 35..<75:
      guard let lane = lanes.randomElement(using: &random) else { return }
      let isTaken = lane.produce(
        isLong: random.chance(20), onExpiry: { books.expired.increment() }, work(books, &random))
      if isTaken { books.accepted.increment() }
    case 75..<90:
      guard let loop = running.loops.randomElement(using: &random) else { return }
      let blocks = random.chance(20)
      let isTaken = loop.perform {
        if blocks { usleep(300) }
        books.messages.increment()
      }
      if isTaken { books.messagesTaken.increment() }
    case 90..<94:
      let least = lanes.count + 1 + random.below(2)
      let limits = PoolLimits(
        minThreads: least, maxThreads: least + random.below(4), idleTimeout: .milliseconds(10))
      do { try running.pool.setLimits(limits) } catch { Issue.record("\(error)") }
    case 94..<96:
      running.loops.randomElement(using: &random)?.stop()
    default:
      usleep(UInt32(random.below(2000)))
    }
  }

  private func work(_ books: Books, _ random: inout SeededNumbers) -> @Sendable (Worker) -> Void {
    let microseconds = random.chance(30) ? UInt32(random.below(1000)) : 0
    return { _ in
      if microseconds > 0 { usleep(microseconds) }
      books.runs.increment()
    }
  }
}
