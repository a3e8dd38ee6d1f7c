import Metrics
import Testing

@testable import Heddle

/// What makes libmicrohttpd ask for one pass after another must not keep a processor busy.
@Suite struct SpinTests {
  @Test func aChunkHeadThatFillsTheMemoryDoesNotKeepTheLeaderBusy() throws {
    try TestServer(lab: true, set: { $0.http.connectionTimeout = .seconds(2) }).run { server in
      let client = try server.connect()
      let flood = String(repeating: "b", count: 20_000)
      try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;a=" + flood)
      #expect(try eventually { try server.stats().requests.inFlight == 2 })
      let service = server.server.service
      let before = service.statistics().passesTotal
      Pause.milliseconds(300)
      // Some 60 where they are put off, some 100,000 where they are not.
      let passes = service.statistics().passesTotal - before
      #expect(passes < 5000)
      // Others are served meanwhile, and the connection ends by its own timeout.
      #expect(try server.get("/plaintext").status == 200)
      _ = try? client.receiveToEnd()
    }
  }

  @Test func aClientThatTricklesDoesNotHoldADrainForEver() throws {
    let server = try TestServer(
      lab: true,
      set: {
        $0.http.connectionTimeout = .zero
        $0.http.drainTimeout = .milliseconds(100)
      })
    let client = try server.connect()
    try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nab")
    #expect(try eventually { try server.stats().requests.inFlight == 2 })
    let stopped = try Background { server.server.stop() }
    // A byte now and then keeps libmicrohttpd's own timeout from ever striking.
    while (try? client.send("x")) != nil { Pause.milliseconds(50) }
    #expect(try stopped.value() == .drained)
  }

  @Test func aPortThatSeveralLanesShareIsNotSharedWithAnotherServer() throws {
    try TestServer(min: 3, max: 4, set: { $0.http.lanes = 2 }).run { server in
      var configuration = ServerConfiguration(port: server.port)
      configuration.http.lanes = 2
      configuration.pool.limits = PoolLimits(minThreads: 3, maxThreads: 4)
      #expect(throws: ListenError.self) { try Server(router: Router(), configuration: configuration) }
      let health = try server.get("/healthz")
      #expect(health.status == 200)
    }
  }
}
