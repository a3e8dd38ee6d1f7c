import FoundationEssentials
import Heddle

/// Routes to load-test and to break: each shows one way in which a handler can spend its time.
enum LabRoutes {
  static func add(to router: inout Router) {
    let plaintext = SharedResponse(.text("Hello, World!", type: .plainText))
    router.get("/plaintext") { _ in Response(shared: plaintext) }
    router.get("/json") { _ in try json() }
    router.any("/echo") { request in echo(request) }
    router.get("/lab/sleep") { request in try sleep(request) }
    router.get("/lab/low", options: RouteOptions(priority: .low)) { request in try sleep(request) }
    let capped = RouteOptions(maxConcurrent: 2, maxWaiting: 8)
    router.get("/lab/bulkhead", options: capped) { request in try sleep(request) }
    router.get("/lab/cpu") { request in try cpu(request) }
    let locks = LabLocks()
    router.get("/lab/lock") { request in try locks.hold(request) }
    router.get("/lab/throw") { _ in throw LabError() }
    router.get("/lab/blob") { request in try blob(request) }
  }

  private struct Message: Encodable { var message = "Hello, World!" }

  private static func json() throws -> Response {
    .json(bytes: [UInt8](try JSONEncoder().encode(Message())))
  }

  /// The body as it came, with its type.
  private static func echo(_ request: Request) -> Response {
    var response = Response(body: .bytes(request.body))
    response.headers["Content-Type"] = request.header("Content-Type") ?? "application/octet-stream"
    return response
  }

  /// Blocks the thread, as a call into a slow database would. Wakes up now and then to see whether it is still wanted.
  private static func sleep(_ request: Request) throws -> Response {
    let milliseconds = try request.query("ms", in: 0...60_000, default: 100)
    let end = Deadline.after(.milliseconds(milliseconds))
    while !end.hasPassed {
      try request.checkCancelled()
      LabTime.sleep(min(Deadline.now().duration(to: end), .milliseconds(100)))
    }
    return .text("slept \(milliseconds) ms\n")
  }

  /// Keeps a core busy: counts rounds of a hash until so much processor time of this thread is used up.
  private static func cpu(_ request: Request) throws -> Response {
    let milliseconds = try request.query("ms", in: 0...60_000, default: 10)
    let end = LabTime.threadCPU() + Int64(milliseconds) * 1_000_000
    var (rounds, hash) = (0, UInt64(0xCBF2_9CE4_8422_2325))
    while LabTime.threadCPU() < end {
      try request.checkCancelled()
      for byte in 0..<2_000 as Range<UInt64> { hash = (hash ^ byte & 0xFF) &* 0x100_0000_01B3 }
      rounds += 1
    }
    return .text("used \(milliseconds) ms of processor time: \(rounds) rounds, \(String(hash, radix: 16))\n")
  }

  private static func blob(_ request: Request) throws -> Response {
    let count = try request.query("bytes", in: 0...64 * 1024 * 1024, default: 1024)
    let line = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+\n".utf8)
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      for index in 0..<count { buffer[index] = line[index & 63] }
      used = count
    }
    return .bytes(bytes, type: .octetStream)
  }
}

/// What `/lab/throw` throws: an error that has no answer of its own, so the client gets 500.
struct LabError: Error, CustomStringConvertible {
  var description: String { "thrown on purpose by /lab/throw" }
}
