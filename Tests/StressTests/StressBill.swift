import HTTPServer
import Metrics
import TestSupport
import Testing
import WorkerPool

@testable import Heddle

/// What clients saw beside what the server counted, after the drain.
struct StressBill {
  private let seed: UInt64
  private let counts: StressCounts
  private let sent: Int
  private let left: Int
  private let problems: [String]
  /// Entered handlers, by kind.
  private let runs: [Int]
  private let http: HTTPStatistics
  private let pool: PoolStatistics

  init(seed: UInt64, clients: [StressClient], runs: [Int], server: Server) {
    self.seed = seed
    self.runs = runs
    counts = clients.reduce(into: StressCounts()) { $0.add($1.counts) }
    sent = clients.reduce(0) { $0 + $1.sent }
    left = clients.reduce(0) { $0 + $1.left }
    problems = clients.flatMap(\.problems)
    http = server.service.statistics()
    pool = server.service.pool.statistics()
  }

  func check(_ size: StressSize) {
    Watchdog.say(summary)
    #expect(problems.isEmpty, "\(summary): \(problems)")
    // Each request of a client that stayed got one answer, of the right form and status: anything else is a problem above.
    #expect(counts.total == sent, "\(summary)")
    checkSums()
    checkRows()
    checkPool()
    if size.requests >= 4_000 { checkMixture(size) }
  }

  /// Everything that came was answered or abandoned.
  private func checkSums() {
    let (requests, answered) = (Int(http.requestsTotal), Int(http.answeredTotal))
    let (abandoned, aborted) = (Int(http.abandonedTotal), Int(http.abortedTotal))
    #expect(requests == answered + abandoned, "\(summary)")
    #expect(http.inFlight == 0 && http.connectionsOpen == 0, "\(summary)")
    // Those who left, and nobody else, were abandoned or answered into the void.
    #expect((sent...sent + left).contains(requests), "\(summary)")
    #expect((sent...sent + left).contains(answered), "\(summary)")
    #expect(abandoned + aborted <= left, "\(summary)")
    #expect(http.overflow == 0, "\(summary)")
    #expect(http.drainExpiredTotal == 0, "\(summary)")
  }

  /// For those who stayed the server's figures are what they saw, one for one.
  private func checkRows() {
    var expected: [String: Int] = [:]
    for kind in StressKind.allCases {
      for status in kind.statuses where counts[kind, status] > 0 {
        expected["\(kind.method) \(kind.label) \(status)", default: 0] += counts[kind, status]
      }
    }
    var counted: [String: Int] = [:]
    for row in http.rows where row.route.hasPrefix("/stay") || row.route == "unmatched" {
      counted["\(row.method) \(row.route) \(row.status)"] = Int(row.duration.count)
    }
    let differences = Set(expected.keys).union(counted.keys).filter { expected[$0] != counted[$0] }
    #expect(
      differences.isEmpty,
      "\(summary): \(differences.map { "\($0): \(expected[$0] ?? 0) seen, \(counted[$0] ?? 0) counted" })")
    #expect(http.duration.count == http.rows.reduce(0) { $0 + $1.duration.count }, "\(summary)")
    checkHandlers()
  }

  /// A handler was entered once for each answer that one gives, and for nobody who was refused.
  private func checkHandlers() {
    func runs(_ kinds: StressKind...) -> Int { kinds.reduce(0) { $0 + self.runs[$1.rawValue] } }
    func seen(_ statuses: [Int], _ kinds: StressKind...) -> Int {
      kinds.reduce(0) { sum, kind in statuses.reduce(sum) { $0 + counts[kind, $1] } }
    }
    for kind: StressKind in [.inline, .high, .low, .sleep, .cpu, .blob] {
      #expect(runs(kind) == seen([200], kind), "\(kind): \(summary)")
    }
    #expect(runs(.short) == seen([200], .short, .head), "\(summary)")
    #expect(runs(.echo) == seen([200], .echo, .chunked), "\(summary)")
    #expect(runs(.throwing) == seen([500], .throwing), "\(summary)")
    #expect(runs(.tooLong) == 0, "\(summary)")
    // Who is told that his time is over may still have waited for his handler, which is not entered then.
    let limited = seen([200], .limited)
    #expect((limited...limited + seen([504], .limited)).contains(runs(.limited)), "\(summary)")
    // Those below `/left` throw nothing.
    #expect(Int(http.thrownTotal) == runs(.throwing), "\(summary)")
  }

  private func checkPool() {
    #expect(pool.workers.isEmpty && pool.started == 0 && pool.queueDepth == 0, "\(summary)")
    #expect(pool.spawnedTotal == pool.ended.total && pool.spawnFailuresTotal == 0, "\(summary)")
    // Each 503 has one cause, and each cause makes one; unless the request had 504 already, because its time was over just then.
    #expect(pool.expiredTotal == 0, "\(summary)")
    #expect(http.queueFullTotal == pool.rejectedTotal, "\(summary)")
    let causes = pool.rejectedTotal + pool.bulkheadRejectedTotal + pool.shedTotal
    #expect((rows(503)...rows(503) + rows(504)).contains(causes), "\(summary)")
    #expect(rows(504) == http.timedOutTotal, "\(summary)")
  }

  /// What the test is for has occurred.
  private func checkMixture(_ size: StressSize) {
    for kind in StressKind.allCases {
      #expect(kind.statuses.reduce(0) { $0 + counts[kind, $1] } > 0, "no \(kind): \(summary)")
    }
    // These are a matter of chance.
    guard size.requests >= 20_000 else { return }
    #expect(counts.total(status: 503) > 0 && http.abandonedTotal > 0 && left > 0, "\(summary)")
    #expect(pool.ended[.idle] + pool.ended[.aboveMaximum] > 0, "\(summary)")
  }

  /// Answers of a status that were made, whether or not somebody was left to take them.
  private func rows(_ status: Int) -> UInt64 {
    http.rows.reduce(0) { $0 + ($1.status == status ? $1.duration.count : 0) }
  }

  /// The run in a line.
  private var summary: String {
    let statuses = StressCounts.statuses.map { "\($0): \(counts.total(status: $0))" }.joined(separator: ", ")
    return """
      seed \(seed): \(sent) requests of clients that stayed (\(statuses)), \(left) of others; the server: \
      \(http.requestsTotal) requests, \(http.answeredTotal) answered, \(http.abandonedTotal) abandoned, \
      \(http.abortedTotal) aborted, \(rows(503)) times 503: \(pool.rejectedTotal) found the queue full, \(pool.bulkheadRejectedTotal) a bulkhead, \
      \(pool.shedTotal) shed, \(http.timedOutTotal) timed out, \(pool.spawnedTotal) threads made, \
      \(http.connectionsAcceptedTotal) connections
      """
  }
}
