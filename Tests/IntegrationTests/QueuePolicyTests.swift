import Heddle
import Testing

/// Priorities, caps on a route's requests, and shedding, over sockets.
@Suite struct QueuePolicyTests {
  /// Sends a request on a connection of its own.
  private func send(_ target: String, to server: TestServer) throws -> RawClient {
    let client = try server.connect()
    try client.send("GET", target)
    return client
  }

  @Test func requestsRunByTheirRoutesPriority() throws {
    let latch = Latch()
    let order = Locked<[String]>("test.order", [])
    try TestServer(
      min: 2, max: 2,
      routes: { router in
        router.get("/block") { _ in
          latch.wait()
          return .text("done")
        }
        for priority in RouteOptions.Priority.allCases {
          let name = "\(priority)"
          router.get("/\(name)", options: RouteOptions(priority: priority)) { _ in
            order.withLock { $0.append(name) }
            return .text(name)
          }
        }
      }
    ).run { server in
      defer { latch.open() }
      let blocked = try send("/block", to: server)
      #expect(latch.waitForArrivals(1))
      let waiting = try ["low", "normal", "normal", "high", "high"].map { try send("/\($0)", to: server) }
      #expect(try eventually { try server.stats().queue.depth == 5 })
      #expect(try server.stats().queue.byPriority == ["high": 2, "normal": 2, "low": 1])
      let page = MetricsText(try server.get("/metrics").text, isOpenMetrics: false)
      #expect(page.value("heddle_queued_requests", ["priority": "high"]) == 2)
      #expect(page.value("heddle_queued_requests", ["priority": "low"]) == 1)
      latch.open()
      for client in [blocked] + waiting { #expect(try client.receive().status == 200) }
      #expect(order.withLock { $0 } == ["high", "high", "normal", "normal", "low"])
    }
  }

  @Test func aRouteKeepsToItsCapAndOthersGoOn() throws {
    let latch = Latch()
    try TestServer(
      min: 3, max: 8,
      routes: { router in
        router.get("/capped", options: RouteOptions(maxConcurrent: 2, maxWaiting: 3)) { _ in
          latch.wait()
          return .text("done")
        }
        router.get("/free") { _ in .text("free") }
      }
    ).run { server in
      defer { latch.open() }
      let running = try (0..<2).map { _ in try send("/capped", to: server) }
      #expect(latch.waitForArrivals(2))
      let waiting = try (0..<3).map { _ in try send("/capped", to: server) }
      #expect(try eventually { try server.stats().queue.heldBack == 3 })
      let refused = try server.get("/capped")
      #expect(refused.status == 503 && refused["Retry-After"] == "1")
      for _ in 0..<10 { #expect(try server.get("/free").text == "free") }
      let stats = try server.stats()
      #expect(stats.bulkheads.map(\.route) == ["/capped"])
      let shown = try #require(stats.bulkheads.first)
      #expect(shown.limit == 2 && shown.waitingLimit == 3 && shown.running == 2 && shown.waiting == 3)
      #expect(shown.rejectedTotal == 1)
      #expect(stats.queue.depth == 3 && stats.queue.bulkheadRejectedTotal == 1 && stats.queue.rejectedTotal == 0)
      // Nobody was called for what may not run.
      #expect(try server.threads().counts.blocked == 2)
      let page = MetricsText(try server.get("/metrics").text, isOpenMetrics: false)
      #expect(page.problems.isEmpty)
      #expect(page.value("heddle_requests_rejected_total", ["reason": "bulkhead"]) == 1)
      #expect(page.value("heddle_bulkhead_running", ["http_route": "/capped"]) == 2)
      #expect(page.value("heddle_bulkhead_waiting", ["http_route": "/capped"]) == 3)
      #expect(page.value("heddle_bulkhead_limit", ["http_route": "/capped"]) == 2)
      #expect(page.value("heddle_bulkhead_rejected_total", ["http_route": "/capped"]) == 1)
      latch.open()
      for client in running + waiting { #expect(try client.receive().text == "done") }
      #expect(try server.stats().bulkheads.first?.running == 0)
    }
  }

  /// Under a load of all kinds the cap holds at every moment, and every request is answered.
  @Test func theCapHoldsUnderLoad() throws {
    let counts = Locked("test.counts", (inside: 0, most: 0))
    try TestServer(
      min: 3, max: 8,
      routes: { router in
        router.get("/capped", options: RouteOptions(priority: .high, maxConcurrent: 2)) { _ in
          counts.withLock {
            $0.inside += 1
            $0.most = max($0.most, $0.inside)
          }
          Pause.milliseconds(1)
          counts.withLock { $0.inside -= 1 }
          return .text("capped")
        }
        router.get("/free") { _ in .text("free") }
      }
    ).run { server in
      let port = server.port
      let answers = try inParallel(8) { number in
        let client = try RawClient(port: port)
        let target = number % 4 == 0 ? "/free" : "/capped"
        return try (0..<100).reduce(0) { count, _ in
          count + (try client.exchange("GET", target).status == 200 ? 1 : 0)
        }
      }
      #expect(answers == [Int](repeating: 100, count: 8))
      #expect(counts.withLock { $0.inside == 0 && $0.most <= 2 })
      #expect(try server.stats().queue.depth == 0)
    }
  }

  /// What is held back when the server is drained is answered: by a handler if there is time, else with 503.
  @Test(arguments: [false, true]) func aDrainAnswersWhatIsHeldBack(isTooLate: Bool) throws {
    let isOpen = Locked("test.open", false)
    let server = try TestServer(
      min: 2, max: 4, set: { if isTooLate { $0.http.drainTimeout = .milliseconds(50) } },
      routes: { router in
        router.get("/capped", options: RouteOptions(maxConcurrent: 1)) { request in
          // Until it is let go, or told to stop.
          while !isOpen.withLock({ $0 }), !request.isCancelled { Pause.milliseconds(1) }
          return .text("done")
        }
      })
    try server.run { server in
      let clients = try (0..<3).map { _ in try send("/capped", to: server) }
      #expect(try eventually { try server.stats().queue.heldBack == 2 })
      server.server.drain()
      if !isTooLate { isOpen.withLock { $0 = true } }
      for client in clients { #expect(try client.receive().status == (isTooLate ? 503 : 200)) }
    }
  }

  /// Requests that were answered for while they waited give their places up to those that come.
  @Test func whatIsOverMakesRoom() throws {
    let latch = Latch()
    try TestServer(
      min: 2, max: 2, set: { $0.pool.queueLimit = 2 },
      routes: { router in
        router.get("/block") { _ in
          latch.wait()
          return .text("done")
        }
        router.get("/limited", options: RouteOptions(timeout: .milliseconds(20))) { _ in .text("ran") }
      }
    ).run { server in
      defer { latch.open() }
      let blocked = try send("/block", to: server)
      #expect(latch.waitForArrivals(1))
      // Each gets its 504 by the clock, not a 503 for a queue that is full of those who have had theirs.
      for _ in 0..<10 { #expect(try server.get("/limited").status == 504) }
      #expect(try server.stats().queue.rejectedTotal == 0)
      latch.open()
      #expect(try blocked.receive().status == 200)
    }
  }

  @Test func anOverloadedServerSheds() throws {
    let latch = Latch()
    let set: (inout ServerConfiguration) -> Void = {
      $0.pool.shedTarget = .milliseconds(1)
      $0.pool.shedInterval = .milliseconds(10)
    }
    try TestServer(
      min: 2, max: 2, set: set,
      routes: { router in
        router.get("/block") { _ in
          latch.wait()
          return .text("done")
        }
      }
    ).run { server in
      defer { latch.open() }
      let blocked = try send("/block", to: server)
      #expect(latch.waitForArrivals(1))
      for client in try (0..<3).map({ _ in try send("/block", to: server) }) {
        let reply = try client.receive()
        #expect(reply.status == 503 && reply["Retry-After"] == "1")
        #expect(try reply.json(ProblemShape.self).detail?.contains("overloaded") == true)
      }
      let stats = try server.stats()
      #expect(stats.queue.shedTotal == 3 && stats.queue.depth == 0 && stats.queue.expiredTotal == 0)
      let page = MetricsText(try server.get("/metrics").text, isOpenMetrics: false)
      #expect(page.value("heddle_requests_rejected_total", ["reason": "shed"]) == 3)
      let pool = try server.get("/api/pool").json(PoolShape.self)
      #expect(pool.shedTarget == 0.001 && pool.shedInterval == 0.01 && pool.queueDeadline == 10)
      #expect(pool.weights == ["high": 16, "normal": 4, "low": 1])
      latch.open()
      #expect(try blocked.receive().text == "done")
    }
  }
}
