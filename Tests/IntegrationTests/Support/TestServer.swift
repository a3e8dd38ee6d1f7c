import Glibc
import Heddle
import Testing

@testable import HeddleCommand

/// A server in the background of the test process, with a free port.
struct TestServer: Sendable {
  let server: Server
  /// What the server wrote to its log.
  let lines: Locked<[String]>

  var port: UInt16 { server.port }

  init(
    min: Int = 2, max: Int = 8, idleTimeout: Duration = .seconds(30), lab: Bool = false,
    set: (inout ServerConfiguration) -> Void = { _ in }, routes: (inout Router) -> Void = { _ in }
  ) throws {
    let lines = Locked<[String]>("test.log", [])
    var configuration = ServerConfiguration(port: 0)
    configuration.pool.limits = PoolLimits(minThreads: min, maxThreads: max, idleTimeout: idleTimeout)
    configuration.http.drainTimeout = .seconds(20)
    configuration.log = Log { line in lines.withLock { $0.append(line) } }
    set(&configuration)
    var router = Router()
    if lab { LabRoutes.add(to: &router) }
    routes(&router)
    server = try Server(router: router, configuration: configuration)
    self.lines = lines
    try server.start()
  }

  /// Runs a test against the server and stops it; it must have drained.
  func run<Value>(_ body: (TestServer) throws -> Value) throws -> Value {
    let result = Result { try body(self) }
    #expect(server.stop() == .drained)
    return try result.get()
  }

  func connect() throws -> RawClient { try RawClient(port: port) }

  /// One request on a connection of its own.
  func exchange(_ method: String, _ target: String, _ fields: [String] = [], body: [UInt8] = []) throws -> Reply {
    try connect().exchange(method, target, fields + ["Connection: close"], body: body)
  }

  func get(_ target: String, _ fields: [String] = []) throws -> Reply { try exchange("GET", target, fields) }

  /// What the server answers to these bytes, and whether it closed the connection behind that.
  func answers(to bytes: [UInt8]) throws -> (first: Reply, rest: [UInt8]) {
    let client = try connect()
    try client.send(bytes)
    let first = try client.receive()
    return (first, try client.receiveToEnd())
  }
}
