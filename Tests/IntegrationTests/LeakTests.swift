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
      for _ in 0..<LeakTests.rounds { try LeakTests.serveSomebody() }
      #expect(eventually { LeakTests.ownThreads().isEmpty }, "\(LeakTests.ownThreads())")
      LeakTests.expectNoLeak(since: before)
    }
  }

  @Test func clientsThatLeftLeaveNothing() async {
    await #expect(processExitsWith: .success) {
      // A stream's end that comes together with data is not seen by libmicrohttpd: that client is let go when it was silent for
      // as long as a connection may be.
      try TestServer(lab: true, set: { $0.http.connectionTimeout = .seconds(1) }).run { server in
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
          try eventually { try server.stats().connections.active == 1 })
        #expect(eventually { ProcessFiles.openDescriptors().count == before })
        #expect(try server.stats().requests.inFlight == 1)
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
      for _ in 0..<LeakTests.rounds { try make() }
      LeakTests.expectNoLeak(since: before)
    }
  }

  /// So many servers come and go between two looks.
  private static let rounds = 10

  /// Fails where every round left a descriptor. A few may be new: those that the test library's own threads open when they
  /// come to it.
  private static func expectNoLeak(since before: [String]) {
    let after = ProcessFiles.openDescriptors()
    // The issues of such a process come without their values, so the comment tells them.
    #expect(after.count < before.count + rounds, "\(before) became \(after)")
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
