import Glibc
import Heddle
import TestSupport
import Testing

/// Everything at once, for long: requests of all kinds, clients that leave, a small queue, limits that change all the time. See
/// ``StressSize`` for how long.
///
/// Each test is a process of its own: what it leaves behind is seen, and when it hangs, its watchdog can end it.
@Suite struct StressTests {
  @Test(arguments: StressSize.fromEnvironment())
  func everyRequestIsAnsweredOrCounted(_ size: StressSize) async {
    // A process that a test starts writes to nowhere, unless it did as it should; and it is when it did not that its words matter.
    var path = Array("/tmp/heddle-stress-XXXXXX".utf8CString)
    let file = mkstemp(&path)
    guard file >= 0 else {
      Issue.record("no file can be made: errno \(errno)")
      return
    }
    close(file)
    let name = path.withUnsafeBytes { String(decoding: $0.dropLast(), as: UTF8.self) }
    await #expect(processExitsWith: .success) {
      [name = name as String, requests = size.requests as Int, seed = size.seed as UInt64] in
      Watchdog.redirect(to: name)
      try StressRun(StressSize(requests: requests, seed: seed)).run()
    }
    let text = ProcessFiles.text(of: name, limit: 1 << 20)
    // Behind the last line stands a mark of the test library.
    if let end = text.lastIndex(of: "\n") { Watchdog.write(String(text[...end])) }
    unlink(name)
  }

  /// The watchdog must be able to bite, or a hang would look like a slow machine.
  @Test func aHangIsSeenAndTold() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(Watchdog.exitCode), observing: [\.standardErrorContent]
    ) {
      let gate = Latch()
      var router = Router()
      router.get("/hang") { _ in
        while true { gate.wait() }
      }
      var configuration = ServerConfiguration(port: 0)
      configuration.log = Log(level: .error)
      let server = try Server(router: router, configuration: configuration)
      try server.start()
      let connection = try StressConnection(port: server.port)
      try connection.send(Array("GET /hang HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      #expect(gate.waitForArrivals(1))
      _ = try Watchdog(patience: 1, progress: { 7 }, report: { StressRun.showThreads(port: server.port) })
      _ = try connection.receiveHead()
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    // The kernel's view, and the server's own.
    #expect(text.contains("worker-1 state S"))
    #expect(text.contains("\"route\":\"/hang\""))
    #expect(text.contains("no progress for 1.0 s: the process ends"))
  }
}
