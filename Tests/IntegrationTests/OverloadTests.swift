import Heddle
import Testing

/// More requests than the pool can take.
@Suite struct OverloadTests {
  private static func server(_ latch: Latch, set: (inout PoolConfiguration) -> Void) throws -> TestServer {
    try TestServer(
      min: 2, max: 3, set: { set(&$0.pool) },
      routes: { router in
        router.get("/wait") { _ in
          latch.wait()
          return .text("done")
        }
      })
  }

  /// Sends so many requests to `/wait`, each on a connection of its own, one after the other.
  private static func send(_ count: Int, to server: TestServer) throws -> [RawClient] {
    try (0..<count).map { _ in
      let client = try server.connect()
      try client.send("GET", "/wait")
      return client
    }
  }

  @Test func aFullQueueRefusesAtOnceAndIsSeen() throws {
    let latch = Latch()
    try OverloadTests.server(latch) { $0.queueLimit = 4 }.run { server in
      defer { latch.open() }
      // Three threads: one leads, two are inside the handler.
      let working = try OverloadTests.send(2, to: server)
      #expect(latch.waitForArrivals(2))
      let waiting = try OverloadTests.send(4, to: server)
      #expect(try eventually { try server.stats().queue.depth == 4 })
      for client in try OverloadTests.send(3, to: server) {
        let refused = try client.receive()
        #expect(refused.status == 503)
        #expect(refused["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
        #expect(try refused.json(ProblemShape.self).requestId == refused["X-Request-Id"])
        // The client may try again on the same connection.
        #expect(!refused.closes)
      }
      // What is inline answers all the same.
      let client = try server.connect()
      #expect(try client.exchange("GET", "/healthz").status == 200)
      let stats = try client.exchange("GET", "/api/stats").json(StatsShape.self)
      #expect(stats.queue.depth == 4 && stats.queue.peak == 4 && stats.queue.rejectedTotal == 3)
      #expect(stats.requests.inFlight == 7)
      #expect(stats.requests.byStatus["5xx"] == 3)
      let counts = try client.exchange("GET", "/api/threads").json(ThreadsShape.self).counts
      #expect(counts.total == 3 && counts.blocked == 2 && counts.leading == 1)
      let page = MetricsText(try client.exchange("GET", "/metrics").text, isOpenMetrics: false)
      #expect(page.value("heddle_requests_rejected_total", ["reason": "queue_full"]) == 3)
      #expect(page.value("executor_queued_tasks") == 4)
      #expect(page.value("executor_queue_remaining_tasks") == 0)
      #expect(page.value("executor_active_threads") == 2)
      // Nothing of what was accepted is lost.
      latch.open()
      for client in working + waiting { #expect(try client.receive().text == "done") }
      #expect(try server.stats().requests.byStatus["2xx"] ?? 0 >= 6)
    }
  }

  @Test func readinessTellsOfSaturation() throws {
    let latch = Latch()
    try OverloadTests.server(latch) { _ in }.run { server in
      defer { latch.open() }
      let working = try OverloadTests.send(2, to: server)
      #expect(latch.waitForArrivals(2))
      let waiting = try OverloadTests.send(1, to: server)
      #expect(try eventually { try server.get("/readyz").status == 503 })
      let health = try server.get("/readyz").json(HealthShape.self)
      #expect(health.status == "unavailable" && health.reasons == ["saturated"])
      // A server that is busy is not to be started anew.
      #expect(try server.get("/healthz").status == 200)
      #expect(try server.stats().threads.saturatedFor > 0)
      latch.open()
      for client in working + waiting { #expect(try client.receive().status == 200) }
      #expect(try server.get("/readyz").status == 200)
    }
  }

  @Test func whoWaitsTooLongIsRefused() throws {
    let latch = Latch()
    try OverloadTests.server(latch) { $0.queueDeadline = .milliseconds(50) }.run { server in
      defer { latch.open() }
      let working = try OverloadTests.send(2, to: server)
      #expect(latch.waitForArrivals(2))
      for client in try OverloadTests.send(3, to: server) {
        let refused = try client.receive()
        #expect(refused.status == 503)
        #expect(refused["Retry-After"] != nil)
      }
      let stats = try server.stats()
      #expect(stats.queue.expiredTotal == 3 && stats.queue.depth == 0 && stats.queue.rejectedTotal == 0)
      let page = MetricsText(try server.get("/metrics").text, isOpenMetrics: false)
      #expect(page.value("heddle_requests_rejected_total", ["reason": "queue_deadline"]) == 3)
      latch.open()
      for client in working { #expect(try client.receive().text == "done") }
    }
  }
}
