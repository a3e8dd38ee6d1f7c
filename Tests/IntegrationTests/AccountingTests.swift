import HTTPServer
import Heddle
import Metrics
import Testing
import WorkerPool

@testable import Heddle

/// Nothing is lost: what came is what was answered and what was abandoned, whatever happens meanwhile.
@Suite struct AccountingTests {
  /// What one client saw.
  struct Seen: Sendable {
    var sent = 0
    var answers: [Int: Int] = [:]
    /// It left without waiting for an answer.
    var left = 0
    /// The connection ended instead of an answer.
    var lost = 0
  }

  @Test(.timeLimit(.minutes(2)), arguments: [UInt64(1), 2, 3])
  func everyRequestIsAccountedFor(seed: UInt64) throws {
    let server = try TestServer(
      min: 2, max: 3, idleTimeout: .milliseconds(20), lab: true,
      set: { configuration in
        configuration.pool.queueLimit = 1
        configuration.http.drainTimeout = .seconds(10)
      })
    let clients = try (0..<16).map { index in
      try Background { AccountingTests.client(server, seed: seed &* 100 &+ UInt64(index)) }
    }
    // The pool is made smaller and larger meanwhile.
    var random = Random(state: seed)
    // For as long as it takes until everything that is to be counted has occurred.
    let end = Deadline.after(.seconds(60))
    var rounds = 0
    while rounds < 60 || (!AccountingTests.hasSeenEverything(server) && !end.hasPassed) {
      rounds += 1
      let least = 2 + random.below(3)
      try server.server.service.pool.setLimits(
        PoolLimits(
          minThreads: least, maxThreads: least + random.below(3), idleTimeout: .milliseconds(10 + random.below(30))))
      Pause.milliseconds(3)
    }
    // The drain comes in the middle of it all: whoever is still sending finds closed doors.
    #expect(server.server.stop() == .drained)
    let seen = try clients.map { try $0.value() }
    let figures = server.server.service.statistics()
    #expect(figures.requestsTotal == figures.answeredTotal + figures.abandonedTotal)
    #expect(figures.inFlight == 0)
    #expect(figures.connectionsOpen == 0)
    let pool = server.server.service.pool.statistics()
    #expect(pool.workers.isEmpty && pool.queueDepth == 0)
    #expect(pool.spawnedTotal == pool.ended.total)

    let answers = seen.reduce(into: [Int: Int]()) { $0.merge($1.answers, uniquingKeysWith: +) }
    let received = answers.values.reduce(0, +)
    let left = seen.reduce(0) { $0 + $1.left }
    let lost = seen.reduce(0) { $0 + $1.lost }
    // Who waited got the answer that was counted; who left may have been answered into the void.
    #expect(received <= Int(figures.answeredTotal))
    #expect(Int(figures.answeredTotal) <= received + left)
    #expect(Int(figures.requestsTotal) <= received + left + lost)
    #expect(Set(answers.keys).isSubset(of: [200, 500, 503]), "\(answers)")
    #expect(received > 100 && left > 0 && answers[503, default: 0] > 0)
    // Those that found the queue full got 503, and nobody else did: the drain had time enough.
    #expect(figures.drainExpiredTotal == 0)
    let refused = figures.rows.reduce(0) { $0 + ($1.status == 503 ? Int($1.duration.count) : 0) }
    #expect(answers[503, default: 0] <= refused)
    // A handler that is told that its client left may answer 503 too, into the void.
    #expect(refused <= Int(figures.queueFullTotal) + Int(pool.expiredTotal) + Int(figures.abandonedTotal))
  }

  private static func hasSeenEverything(_ server: TestServer) -> Bool {
    let figures = server.server.service.statistics()
    return figures.answeredTotal > 500 && figures.abandonedTotal > 0 && figures.queueFullTotal > 0
  }

  /// Sends requests of every kind until the server is gone.
  private static func client(_ server: TestServer, seed: UInt64) -> Seen {
    var random = Random(state: seed)
    var seen = Seen()
    while let client = try? server.connect() {
      for _ in 0..<(1 + random.below(10)) {
        let kind = random.below(8)
        let body = BodyTests.noise(random.below(3000))
        do {
          switch kind {
          case 0, 1: try client.send("GET", "/lab/sleep?ms=\(random.below(5))")
          case 2: try client.send("GET", "/lab/throw")
          case 3, 4: try client.send("POST", "/echo", body: body)
          default: try client.send("GET", "/plaintext")
          }
          seen.sent += 1
        } catch {
          break
        }
        if random.below(12) == 0 {
          seen.left += 1
          client.reset()
          break
        }
        guard let reply = try? client.receive() else {
          seen.lost += 1
          break
        }
        seen.answers[reply.status, default: 0] += 1
        if kind == 3 || kind == 4, reply.status == 200, reply.body != body { seen.answers[-1, default: 0] += 1 }
        if reply.closes { break }
      }
    }
    return seen
  }

  /// Numbers that are the same in every run with the same seed: Knuth's linear congruential generator (MMIX).
  struct Random {
    var state: UInt64
    mutating func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
  }
}
