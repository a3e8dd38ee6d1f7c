import Heddle
import Testing

/// Stopping without losing a request, and what happens where that cannot be.
@Suite struct DrainTests {
  private static func waiting(_ latch: Latch) -> (inout Router) -> Void {
    { router in
      router.get("/wait") { _ in
        latch.wait()
        return .text("done")
      }
      router.get("/plain") { _ in .text("plain") }
    }
  }

  @Test func whatHasBegunIsFinished() throws {
    let latch = Latch()
    defer { latch.open() }
    let server = try TestServer(min: 2, max: 3, routes: DrainTests.waiting(latch))
    let idle = try server.connect()
    #expect(try idle.exchange("GET", "/plain").closes == false)
    let halfway = try server.connect()
    try halfway.send("GET /plain HTTP/1.1\r\nHost: a\r\n")
    // Two run, three wait in the queue.
    let clients = try (0..<5).map { _ in
      let client = try server.connect()
      try client.send("GET", "/wait")
      return client
    }
    #expect(latch.waitForArrivals(2))
    #expect(try eventually { try server.stats().queue.depth == 3 })
    let last = try server.connect()
    #expect(try last.exchange("GET", "/readyz").status == 200)
    let stopped = try Background { server.server.stop() }
    #expect(eventually { (try? server.connect()) == nil })
    // A connection that is open already is still served, and told that this was the last time.
    let readiness = try last.exchange("GET", "/readyz")
    #expect(readiness.status == 503)
    #expect(try readiness.json(HealthShape.self).reasons == ["draining"])
    #expect(readiness.closes)
    #expect(try last.receiveToEnd().isEmpty)
    try halfway.send("\r\n")
    latch.open()
    for client in clients {
      let reply = try client.receive()
      #expect(reply.text == "done")
      #expect(reply.closes)
      #expect(try client.receiveToEnd().isEmpty)
    }
    let late = try halfway.receive()
    #expect(late.text == "plain")
    #expect(late.closes)
    #expect(try stopped.value() == .drained)
    // One that had nothing to say is closed without a word.
    #expect(try idle.receiveToEnd().isEmpty)
  }

  @Test func aHandlerThatIgnoresTheDrainIsGivenUp() throws {
    let latch = Latch()
    defer { latch.open() }
    let server = try TestServer(
      set: { $0.http.drainTimeout = .milliseconds(200) }, routes: DrainTests.waiting(latch))
    let client = try server.connect()
    try client.send("GET", "/wait")
    #expect(latch.waitForArrivals(1))
    let stopped = try Background { server.server.stop() }
    let reply = try client.receive()
    #expect(reply.status == 503)
    #expect(reply.closes)
    #expect(try client.receiveToEnd().isEmpty)
    guard case .stuck(let names) = try stopped.value() else {
      Issue.record("a drain that gave up says that it drained")
      return
    }
    #expect(names.count == 1 && names[0].hasPrefix("worker-"))
    #expect(server.lines.withLock { $0.contains { $0.contains(names[0]) && $0.contains("stuck in /wait") } })
  }

  @Test func aHandlerThatListensEndsInTime() throws {
    let begun = Latch()
    begun.open()
    let server = try TestServer(
      set: { $0.http.drainTimeout = .milliseconds(200) },
      routes: { router in
        router.get("/patient") { request in
          begun.wait()
          while true {
            try request.checkCancelled()
            Pause.milliseconds(1)
          }
        }
      })
    let client = try server.connect()
    try client.send("GET", "/patient")
    #expect(begun.waitForArrivals(1))
    let stopped = try Background { server.server.stop() }
    #expect(try client.receive().status == 503)
    #expect(try stopped.value() == .drained)
  }

  /// A request that becomes whole after the drain timeout is refused: its handler, which would only stop when told to, would never be
  /// told any more.
  @Test func whatComesAfterTheDrainTimeoutIsRefused() throws {
    let latch = Latch()
    let runs = Locked("test.runs", 0)
    defer { latch.open() }
    let server = try TestServer(
      min: 3, max: 4, set: { $0.http.drainTimeout = .milliseconds(100) },
      routes: { router in
        DrainTests.waiting(latch)(&router)
        router.post("/patient") { request in
          runs.withLock { $0 += 1 }
          while true {
            try request.checkCancelled()
            Pause.milliseconds(1)
          }
        }
      })
    // One that holds the drain up until the test lets it go, and one whose body is still on its way.
    let first = try server.connect()
    try first.send("GET", "/wait")
    #expect(latch.waitForArrivals(1))
    let late = try server.connect()
    try late.send("POST /patient HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab")
    #expect(try eventually { try server.stats().requests.inFlight == 3 })
    let stopped = try Background { server.server.stop() }
    // The first one is answered at the drain timeout; the lane goes on, since the other has not been.
    #expect(try first.receive().status == 503)
    try? late.send("cd")
    // It is told so, unless it was silent for a second meanwhile, as on a slow machine: then it has been closed.
    if let reply = try? late.receive() {
      #expect(reply.status == 503)
      #expect(reply.closes)
    }
    latch.open()
    _ = try stopped.value()
    #expect(runs.withLock { $0 } == 0)
  }

  @Test func aRequestThatNeverBecomesWholeDoesNotHoldTheDrain() throws {
    let server = try TestServer(lab: true, set: { $0.http.drainTimeout = .milliseconds(200) })
    let client = try server.connect()
    try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
    #expect(try eventually { try server.stats().requests.inFlight == 2 })
    #expect(server.server.stop() == .drained)
    #expect(try client.receiveToEnd().isEmpty)
  }

  @Test func drainingTwiceIsDrainingOnce() throws {
    let server = try TestServer()
    server.server.drain()
    server.server.drain()
    #expect(server.server.stop() == .drained)
  }
}
