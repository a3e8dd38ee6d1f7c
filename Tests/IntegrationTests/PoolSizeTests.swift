import Heddle
import Testing

/// The pool grows while handlers block, and shrinks when they are gone.
@Suite struct PoolSizeTests {
  @Test(arguments: [100, 500])
  func growsToTheMaximumAndBack(idleMilliseconds: Int) throws {
    let latch = Latch()
    let server = try TestServer(
      min: 2, max: 16, idleTimeout: .milliseconds(idleMilliseconds),
      routes: { router in
        router.get("/wait") { _ in
          latch.wait()
          return .text("done")
        }
      })
    try server.run { server in
      defer { latch.open() }
      #expect(try server.threads().counts.total == 2)
      let clients = try Background {
        try inParallel(32) { _ in try RawClient(port: server.port).exchange("GET", "/wait", ["Connection: close"]).text
        }
      }
      // Fifteen can block; the sixteenth leads, so that somebody still answers.
      #expect(latch.waitForArrivals(15))
      #expect(try eventually { try server.threads().counts.total == 16 })
      #expect(try eventually { try server.stats().queue.depth == 17 })
      let full = try server.threads().counts
      #expect(full.blocked == 15 && full.leading == 1 && full.idle == 1)
      #expect(full.total == 16 && full.peak == 16 && full.spawnedTotal == 16 && full.endedTotal == 0)
      latch.open()
      #expect(try clients.value() == Array(repeating: "done", count: 32))
      #expect(try eventually { try server.threads().counts.total == 2 })
      let counts = try server.threads().counts
      let events = try server.events()
      #expect(counts.spawnedTotal == events.count("spawned"))
      #expect(counts.endedIdleTotal == events.count("ended", "idle"))
      #expect(counts.endedTotal == counts.endedIdleTotal)
      #expect(counts.spawnedTotal - counts.endedTotal == 2)
      #expect(counts.peak == 16)
      #expect(events.count("spawned", "start") == 2)
      let page = MetricsText(try server.get("/metrics").text, isOpenMetrics: false)
      #expect(page.value("heddle_thread_spawns_total") == Double(counts.spawnedTotal))
      #expect(page.value("heddle_thread_ends_total", ["reason": "idle"]) == Double(counts.endedIdleTotal))
    }
  }
}
