import Heddle
import Testing

/// Clients that leave while their request is being worked on.
@Suite struct DisconnectTests {
  @Test func theResultIsDroppedAndCounted() throws {
    let latch = Latch()
    try TestServer(
      lab: true,
      routes: {
        $0.get("/wait") { _ in
          latch.wait()
          return .text("too late")
        }
      }
    ).run { server in
      defer { latch.open() }
      let clients = try (0..<3).map { _ in try server.connect() }
      for client in clients { try client.send("GET", "/wait") }
      #expect(latch.waitForArrivals(3))
      for client in clients { client.reset() }
      latch.open()
      #expect(try eventually { try server.stats().requests.inFlight == 1 })
      let stats = try server.stats()
      #expect(stats.connections.abandonedTotal == 3)
      // Nothing of them is left, and the server goes on.
      #expect(try eventually { try server.stats().connections.active == 1 })
      #expect(try server.get("/plaintext").status == 200)
      #expect(try server.threads().workers.allSatisfy { $0.request == nil })
    }
  }

  @Test func aRequestThatWaitsInTheQueueIsDropped() throws {
    let latch = Latch()
    try TestServer(
      min: 2, max: 2, lab: true,
      routes: {
        $0.get("/wait") { _ in
          latch.wait()
          return .text("done")
        }
      }
    ).run { server in
      defer { latch.open() }
      let blocker = try server.connect()
      try blocker.send("GET", "/wait")
      #expect(latch.waitForArrivals(1))
      let waiting = try server.connect()
      try waiting.send("GET", "/wait")
      #expect(try eventually { try server.stats().queue.depth == 1 })
      waiting.reset()
      latch.open()
      #expect(try blocker.receive().text == "done")
      #expect(try eventually { try server.stats().requests.inFlight == 1 })
      let stats = try server.stats()
      #expect(stats.queue.depth == 0)
      #expect(stats.connections.abandonedTotal == 1)
    }
  }
}
