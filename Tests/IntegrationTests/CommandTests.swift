import Glibc
import Heddle
import Testing

/// The executable, as an operator meets it.
@Suite struct CommandTests {
  private static let path = ChildProcess.folder + "/heddle"

  private static func start(
    _ arguments: String..., environment: [String] = []
  ) throws -> (child: ChildProcess, port: UInt16, line: String) {
    let child = try ChildProcess(path, ["serve", "--port", "0"] + arguments, environment: environment)
    let line = try child.line()
    let port = line.split(separator: " ").first { $0.hasPrefix("http://127.0.0.1:") }
      .flatMap { UInt16($0.split(separator: ":").last ?? "") }
    return (child, try #require(port, "\(line)"), line)
  }

  @Test func theFirstLineSaysWhereAndHow() throws {
    let (child, port, line) = try CommandTests.start(
      "--min-threads", "2", "--max-threads", "16", "--shed-target", "7ms",
      environment: ["HEDDLE_QUEUE_LIMIT=99", "HEDDLE_MAX_THREADS=3", "HEDDLE_SHED_INTERVAL=70ms"])
    #expect(line.contains("pid \(child.pid)"))
    // A flag wins over its variable.
    #expect(line.contains("2–16") && line.contains("queue 99"))
    let client = try RawClient(port: port)
    #expect(try client.exchange("GET", "/plaintext").text == "Hello, World!")
    #expect(try client.exchange("GET", "/")["Content-Type"] == "text/html; charset=utf-8")
    let pool = try client.exchange("GET", "/api/pool").json(PoolShape.self)
    #expect(pool.minThreads == 2 && pool.maxThreads == 16)
    #expect(pool.shedTarget == 0.007 && pool.shedInterval == 0.07)
    child.signal(SIGTERM)
    #expect(try child.wait().end == .exited(0))
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func aSignalDrains(signal: Int32) throws {
    let (child, port, _) = try CommandTests.start()
    let client = try RawClient(port: port)
    try client.send("GET", "/lab/sleep?ms=300")
    let other = try RawClient(port: port)
    #expect(
      try eventually {
        try other.exchange("GET", "/api/threads").json(ThreadsShape.self).workers
          .contains { $0.request?.route == "/lab/sleep" }
      })
    child.signal(signal)
    let reply = try client.receive()
    #expect(reply.text == "slept 300 ms\n")
    #expect(reply.closes)
    let (end, text) = try child.wait()
    #expect(end == .exited(0))
    #expect(text.contains("drained"))
  }

  @Test func aSecondSignalEndsAtOnce() throws {
    let (child, port, _) = try CommandTests.start()
    let client = try RawClient(port: port)
    try client.send("GET", "/lab/lock?name=held&hold-us=10000000")
    let other = try RawClient(port: port)
    #expect(
      try eventually {
        try other.exchange("GET", "/api/threads").json(ThreadsShape.self).counts.blocked == 1
      })
    child.signal(SIGTERM)
    _ = try child.line(with: "draining")
    child.signal(SIGTERM)
    let (end, text) = try child.wait()
    #expect(end == .exited(128 + SIGTERM))
    #expect(text.contains("ending at once"))
  }

  @Test func aStuckHandlerIsToldByTheExitCode() throws {
    let (child, port, _) = try CommandTests.start("--drain-timeout", "100ms")
    let client = try RawClient(port: port)
    // A lock's sleep does not ask whether it is still wanted.
    try client.send("GET", "/lab/lock?name=held&hold-us=10000000")
    let other = try RawClient(port: port)
    #expect(
      try eventually {
        try other.exchange("GET", "/api/threads").json(ThreadsShape.self).counts.blocked == 1
      })
    child.signal(SIGTERM)
    #expect(try client.receive().status == 503)
    let (end, text) = try child.wait()
    #expect(end == .exited(75))
    #expect(text.contains("stuck in /lab/lock"))
  }

  @Test func aBusyPortIsToldInOneLine() throws {
    let (child, port, _) = try CommandTests.start()
    let second = try ChildProcess(CommandTests.path, ["serve", "--port", "\(port)"])
    let (end, text) = try second.wait()
    #expect(end == .exited(69))
    #expect(text.split(separator: "\n").count == 1 && text.contains("127.0.0.1:\(port)") && text.contains("in use"))
    child.signal(SIGTERM)
    #expect(try child.wait().end == .exited(0))
  }

  @Test(arguments: [
    (["serve", "--prot", "1"], "--prot"), (["serve", "--port", "70000"], "--port"), (["serve", "--port"], "--port"),
    (["serve", "--idle-timeout", "5"], "--idle-timeout"), (["serve", "--min-threads", "1"], "--min-threads"),
    (["serve", "--min-threads", "9", "--max-threads", "3"], "--min-threads"),
    (["serve", "--public", "/nowhere/at/all"], "--public"), (["sevre"], "sevre"),
  ])
  func badWordsAreToldInOneLine(arguments: [String], named: String) throws {
    let (end, text) = try ChildProcess(CommandTests.path, arguments).wait()
    #expect(end == .exited(64))
    #expect(text.split(separator: "\n").count == 1, "\(text)")
    #expect(text.contains(named), "\(text)")
  }

  @Test func aBadVariableIsToldByItsName() throws {
    let (end, text) = try ChildProcess(CommandTests.path, ["serve"], environment: ["HEDDLE_MAX_BODY=lots"]).wait()
    #expect(end == .exited(64))
    #expect(text.contains("HEDDLE_MAX_BODY") && text.split(separator: "\n").count == 1, "\(text)")
  }

  @Test func helpAndVersionAreAnswers() throws {
    for (arguments, expected) in [
      (["--help"], "usage"), (["serve", "--help"], "--queue-limit"), (["--version"], "heddle "),
    ] {
      let (end, text) = try ChildProcess(CommandTests.path, arguments).wait()
      #expect(end == .exited(0))
      #expect(text.contains(expected))
    }
  }

  @Test func theLabCanBeLeftOut() throws {
    let (child, port, line) = try CommandTests.start("--no-lab")
    #expect(line.contains("lab off"))
    let client = try RawClient(port: port)
    #expect(try client.exchange("GET", "/plaintext").status == 404)
    #expect(try client.exchange("GET", "/healthz").status == 200)
    child.signal(SIGTERM)
    #expect(try child.wait().end == .exited(0))
  }

  /// Every wake-up of an idle server would show as a context switch.
  ///
  /// Not under ThreadSanitizer, whose runtime has a thread of its own that wakes up many times a second.
  @Test(.enabled(if: dlsym(nil, "__tsan_init") == nil))
  func anIdleServerIsNeverWoken() throws {
    let (child, port, _) = try CommandTests.start("--min-threads", "2", "--max-threads", "8", "--idle-timeout", "50ms")
    try inParallel(4) { _ in
      let client = try RawClient(port: port)
      for target in ["/plaintext", "/lab/sleep?ms=20", "/lab/throw", "/api/stats", "/metrics"] {
        _ = try client.exchange("GET", target)
      }
    }
    let client = try RawClient(port: port)
    // Above the minimum nobody is left, and this connection stays open: waiting for it must cost nothing.
    #expect(
      try eventually { try client.exchange("GET", "/api/threads").json(ThreadsShape.self).counts.total == 2 })
    // The monitor looks a few times more before it sleeps. What is measured is that it does.
    var before = 0
    #expect(
      eventually {
        let last = before
        before = CommandTests.contextSwitches(of: child.pid)
        Pause.milliseconds(200)
        return last == before
      })
    Pause.milliseconds(2000)
    #expect(CommandTests.contextSwitches(of: child.pid) == before)
    #expect(try client.exchange("GET", "/plaintext").status == 200)
    child.signal(SIGTERM)
    #expect(try child.wait().end == .exited(0))
  }

  /// The sum over all threads, voluntary and not.
  private static func contextSwitches(of pid: pid_t) -> Int {
    let folder = "/proc/\(pid)/task"
    return ProcessFiles.entries(of: folder).reduce(0) { sum, task in
      let status = ProcessFiles.text(of: "\(folder)/\(task)/status")
      return status.split(separator: "\n").filter { $0.contains("ctxt_switches") }.reduce(sum) { sum, line in
        sum + (Int(line.split(separator: "\t").last ?? "") ?? 0)
      }
    }
  }
}
