import Glibc
import HTTPServer
import Metrics
import Synchronization
import TestSupport
import Testing
import WorkerPool

@testable import Heddle

/// One run: a server, its clients, somebody who changes the limits, a watchdog; and the bill at the end.
struct StressRun {
  private let size: StressSize
  private let routes = StressRoutes()

  init(_ size: StressSize) { self.size = size }

  /// How many seconds may pass without a single answer. Far more than the slowest machine needs for one.
  private static let patience = 60.0

  func run() throws {
    // What a process makes once is made by the first server in it.
    try warmUp()
    let before = ProcessFiles.openDescriptors()
    let memory = StressRun.residentBytes()
    let left = try serve()
    #expect(left.server == nil && left.service == nil, "seed \(size.seed): the server is still there")
    let growth = StressRun.residentBytes() - memory
    Watchdog.say("the process grew by \(growth / 1024) KiB")
    // What a run needs is the same for few requests and many, some 25 MiB; an object lost for each of many would be seen.
    if size.requests >= 200_000 {
      #expect(growth < 128 << 20, "seed \(size.seed): the process grew by \(growth / 1024) KiB")
    }
    #expect(
      eventually { StressRun.ownThreads().isEmpty }, "seed \(size.seed): threads left: \(StressRun.ownThreads())")
    let after = ProcessFiles.openDescriptors()
    // The test library's own threads may have opened one or two; each connection or lane that was left would be one more.
    #expect(after.count <= before.count + 2, "seed \(size.seed): \(before) became \(after)")
  }

  private func warmUp() throws {
    let server = try makeServer(routes: StressRoutes())
    try server.start()
    let client = StressClient(port: server.port, requests: 50, seed: size.seed, number: StressSize.clients)
    client.run()
    _ = server.stop()
  }

  private func makeServer(routes: StressRoutes) throws -> Server {
    var configuration = ServerConfiguration(port: 0)
    configuration.http.lanes = size.lanes
    configuration.pool.limits = PoolLimits(
      minThreads: size.lanes + 1, maxThreads: size.lanes + 3, idleTimeout: .milliseconds(20))
    configuration.pool.queueLimit = 8
    configuration.pool.queueDeadline = .zero
    configuration.pool.shedTarget = .milliseconds(1)
    configuration.pool.shedInterval = .milliseconds(10)
    // A client's end that comes together with data is not seen by libmicrohttpd: such a connection ends when it was silent so long.
    configuration.http.connectionTimeout = .seconds(5)
    configuration.http.drainTimeout = .seconds(30)
    configuration.log = Log(level: .error) { _ in }
    var router = Router()
    routes.add(to: &router)
    return try Server(router: router, configuration: configuration)
  }

  /// What must be gone after a run.
  private struct Leftovers {
    weak var server: Server?
    weak var service: HTTPService?
  }

  private func serve() throws -> Leftovers {
    let server = try makeServer(routes: routes)
    try server.start()
    let (port, share) = (server.port, size.requests / StressSize.clients + 1)
    let clients = (0..<StressSize.clients).map { number in
      StressClient(port: port, requests: share, seed: size.seed, number: number)
    }
    let steps = StressCounter()
    let watchdog = try Watchdog(
      patience: StressRun.patience,
      progress: { clients.reduce(steps.value) { $0 + $1.answers.load(ordering: .relaxed) } },
      report: { StressRun.report(clients, port: port) })
    let isOver = StressCounter()
    let changes = try Background("test-changer") { try change(server, until: isOver) }
    let threads = try clients.map { client in try Background("test-client") { client.run() } }
    for thread in threads { try thread.value() }
    steps.add()
    isOver.add()
    let changed = try changes.value()
    let outcome = server.stop()
    steps.add()
    watchdog.stop()
    #expect(outcome == .drained, "seed \(size.seed): \(outcome)")
    Watchdog.say("the limits were changed \(changed) times")
    #expect(changed > 0)
    StressBill(seed: size.seed, clients: clients, runs: routes.runs.map(\.value), server: server).check(size)
    return Leftovers(server: server, service: server.service)
  }

  /// Sets other limits every 10 ms, most of them good ones, until it is over. Returns how many were set.
  private func change(_ server: Server, until isOver: StressCounter) throws -> Int {
    var random = StressRandom(seed: size.seed, stream: 1_000_000)
    var changes = 0
    while isOver.value == 0 {
      let least = size.lanes + 1 + random.below(4)
      let limits = PoolLimits(
        minThreads: least, maxThreads: least + random.below(6), idleTimeout: .milliseconds(10 + random.below(40)))
      if random.below(16) == 0 {
        #expect(throws: ServerError.self) { try server.setPoolLimits(PoolLimits(minThreads: 5, maxThreads: 4)) }
      }
      try server.setPoolLimits(limits)
      #expect(server.poolLimits == limits)
      changes += 1
      Pause.milliseconds(10)
    }
    return changes
  }

  // MARK: for the watchdog

  private static func report(_ clients: [StressClient], port: UInt16) {
    for (number, client) in clients.enumerated() {
      let awaited = StressKind(rawValue: client.awaited.load(ordering: .relaxed))
      Watchdog.say(
        "  client \(number): \(client.answers.load(ordering: .relaxed)) answers, waits for \(awaited.map { "\($0)" } ?? "-")"
      )
    }
    showThreads(port: port)
  }

  /// The server's own view of its threads, if it still answers.
  static func showThreads(port: UInt16) {
    do {
      let connection = try StressConnection(port: port, patience: 5)
      try connection.send(Array("GET /api/threads HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      let head = try connection.receiveHead()
      var text = ""
      try connection.receiveBody(head.length ?? 0) { piece, _ in text += String(decoding: piece, as: UTF8.self) }
      Watchdog.say("/api/threads: \(text)")
    } catch {
      Watchdog.say("/api/threads: \(error)")
    }
  }

  /// Bytes of memory that the process has.
  private static func residentBytes() -> Int {
    let fields = ProcessFiles.text(of: "/proc/self/statm").split(separator: " ")
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(getpagesize())
  }

  private static func ownThreads() -> [String] {
    ProcessFiles.threadNames().filter { name in ["worker-", "heddle-", "test-"].contains { name.hasPrefix($0) } }
  }
}
