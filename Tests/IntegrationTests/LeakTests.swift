import Glibc
import Heddle
import Testing

/// Nothing is left behind. Each of these runs in a process of its own, where nobody else opens or starts anything.
@Suite struct LeakTests {
  @Test func serversThatCameAndWentLeaveNothing() async {
    await #expect(processExitsWith: .success) {
      // The first one makes what a process makes once.
      try LeakTests.serveSomebody()
      let before = ProcessFiles.openDescriptors()
      for _ in 0..<10 { try LeakTests.serveSomebody() }
      #expect(eventually { LeakTests.ownThreads().isEmpty }, "\(LeakTests.ownThreads())")
      // The issues of such a process come without their values, so the comments tell them.
      let after = ProcessFiles.openDescriptors()
      #expect(after == before, "\(before) became \(after)")
    }
  }

  @Test func clientsThatLeftLeaveNothing() async {
    await #expect(processExitsWith: .success) {
      try TestServer(lab: true).run { server in
        let client = try server.connect()
        _ = try client.exchange("GET", "/plaintext")
        let before = ProcessFiles.openDescriptors().count
        for round in 0..<60 {
          let other = try server.connect()
          switch round % 4 {
          case 0: try other.send("GET", "/lab/sleep?ms=5")
          case 1: try other.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
          case 2: try other.send("GET /plain")
          default: try other.send("GET", "/lab/blob?bytes=10000000")
          }
          if round % 8 < 4 { other.reset() } else { other.close() }
        }
        #expect(
          try eventually { try client.exchange("GET", "/api/stats").json(StatsShape.self).connections.active == 1 })
        #expect(eventually { ProcessFiles.openDescriptors().count == before })
        #expect(try client.exchange("GET", "/api/stats").json(StatsShape.self).requests.inFlight == 1)
      }
    }
  }

  @Test func aServerThatWasNeverStartedLeavesNothing() async {
    await #expect(processExitsWith: .success) {
      func make() throws {
        var configuration = ServerConfiguration(port: 0)
        configuration.log = Log(level: .error)
        configuration.pages = .folder("/")
        _ = try Server(router: Router(), configuration: configuration)
      }
      try make()
      let before = ProcessFiles.openDescriptors()
      for _ in 0..<3 { try make() }
      #expect(ProcessFiles.openDescriptors() == before)
    }
  }

  private static func serveSomebody() throws {
    try TestServer(min: 2, max: 6, lab: true).run { server in
      _ = try inParallel(4) { _ in
        let client = try RawClient(port: server.port)
        _ = try client.exchange("GET", "/lab/sleep?ms=3")
        _ = try client.exchange("POST", "/echo", body: [1, 2, 3])
      }
    }
  }

  /// Threads that a server or a test of this module makes; those of the test library come and go as they like.
  private static func ownThreads() -> [String] {
    ProcessFiles.threadNames().filter { name in
      ["worker-", "heddle-", "test-"].contains { name.hasPrefix($0) }
    }
  }
}
