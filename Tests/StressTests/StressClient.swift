import Glibc
import Synchronization

/// One client: it makes connections, sends requests of all kinds on each, checks every answer, and now and then leaves in the middle.
/// Belongs to one thread, but for its progress.
final class StressClient: @unchecked Sendable {
  // Unchecked: one thread runs it, and others look at the result when that thread has been joined; what is looked at before is atomic.

  /// Answers so far.
  let answers = Atomic<Int>(0)
  /// The kind that is waited for, by number; -1: none. For the watchdog.
  let awaited = Atomic<Int>(-1)

  /// What came back, for requests below `/stay`.
  private(set) var counts = StressCounts()
  /// Requests below `/left` that the server may have seen the head of.
  private(set) var left = 0
  /// Requests below `/stay` that were sent.
  private(set) var sent = 0
  private(set) var problems: [String] = []

  private let port: UInt16
  private let share: Int
  private var random: StressRandom
  private var message: [UInt8] = []
  private var expected: [Expected] = []

  private struct Expected {
    var kind: StressKind
    /// The body that is to come back: a part of the noise.
    var from = 0
    var count = 0
  }

  /// Bytes of every value, chunk ends and blank lines among them.
  private static let noise: [UInt8] = {
    var random = StressRandom(seed: 7, stream: 7)
    return (0..<65_536).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }()

  init(port: UInt16, requests: Int, seed: UInt64, number: Int) {
    self.port = port
    share = requests
    random = StressRandom(seed: seed, stream: UInt64(number))
  }

  /// Sends its share of requests.
  func run() {
    while sent + left < share, problems.count < 3 {
      do {
        let connection = try StressConnection(port: port)
        try visit(connection)
      } catch {
        problems.append("\(error); awaited: \(expected.map(\.kind))")
        expected.removeAll()
      }
    }
    awaited.store(-1, ordering: .relaxed)
  }

  // MARK: a connection's life

  private func visit(_ connection: StressConnection) throws {
    let leaves = random.below(4) == 0
    for _ in 0..<(leaves ? random.below(4) : 1 + random.below(20)) {
      let isBurst = random.below(8) == 0
      for _ in 0..<(isBurst ? 2 + random.below(7) : 1) { add(StressKind.any(&random)) }
      try exchange(connection)
    }
    if leaves { return try leave(connection) }
    switch random.below(4) {
    case 0:
      // Between two requests.
      connection.finishSending()
      try connection.expectEnd()
    case 1:
      // Nothing more will come, but the answer is waited for.
      add(StressKind.any(&random))
      try connection.send(message)
      connection.finishSending()
      try receive(connection, closes: false)
    default:
      add(StressKind.any(&random), closes: true)
      try connection.send(message)
      try receive(connection, closes: true)
      try connection.expectEnd()
    }
  }

  /// Sends what was added, and reads the answers, which come in order.
  private func exchange(_ connection: StressConnection) throws {
    try connection.send(message)
    try receive(connection, closes: false)
  }

  // MARK: what is sent

  private static let heads: [[UInt8]] = StressKind.allCases.map { kind in
    Array("\(kind.method) \(kind.path)".utf8)
  }
  private static let version = Array(" HTTP/1.1\r\nHost: stress.example\r\nUser-Agent: stress\r\n".utf8)
  private static let close = Array("Connection: close\r\n".utf8)
  private static let end = Array("\r\n".utf8)
  private static let inChunks = Array("Transfer-Encoding: chunked\r\n\r\n".utf8)
  private static let lastChunk = Array("0\r\n\r\n".utf8)

  /// Adds a request to the message.
  private func add(_ kind: StressKind, closes: Bool = false) {
    message += StressClient.heads[kind.rawValue]
    if kind == .sleep || kind == .limited { message += Array("?ms=\(random.below(4))".utf8) }
    message += StressClient.version
    if closes { message += StressClient.close }
    var wanted = Expected(kind: kind)
    switch kind {
    case .echo, .chunked: wanted.count = random.below(kind == .echo ? 2000 : 6000)
    case .tooLong, .tooLongChunked: wanted.count = 101 + random.below(2000)
    default: break
    }
    wanted.from = random.below(StressClient.noise.count - wanted.count)
    switch kind {
    case .echo, .tooLong:
      message += Array("Content-Length: \(wanted.count)\r\n\r\n".utf8)
      message += StressClient.noise[wanted.from..<wanted.from + wanted.count]
    case .chunked, .tooLongChunked:
      message += StressClient.inChunks
      addChunks(from: wanted.from, count: wanted.count)
      message += StressClient.lastChunk
    default: message += StressClient.end
    }
    expected.append(wanted)
    sent += 1
  }

  private func addChunks(from: Int, count: Int) {
    var (from, rest) = (from, count)
    while rest > 0 {
      let size = 1 + random.below(rest)
      message += Array("\(String(size, radix: 16))\r\n".utf8)
      message += StressClient.noise[from..<from + size]
      message += StressClient.end
      from += size
      rest -= size
    }
  }

  // MARK: what comes back

  private func receive(_ connection: StressConnection, closes: Bool) throws {
    message.removeAll(keepingCapacity: true)
    for (index, wanted) in expected.enumerated() {
      awaited.store(wanted.kind.rawValue, ordering: .relaxed)
      let head = try connection.receiveHead()
      try check(head, wanted, closes: closes && index == expected.count - 1)
      if !wanted.kind.isHead, let length = head.length {
        try receiveBody(connection, head, wanted, length)
      }
      counts[wanted.kind, head.status] += 1
      answers.store(answers.load(ordering: .relaxed) + 1, ordering: .relaxed)
    }
    expected.removeAll(keepingCapacity: true)
    awaited.store(-1, ordering: .relaxed)
  }

  private func check(_ head: StressConnection.Head, _ wanted: Expected, closes: Bool) throws {
    guard wanted.kind.statuses.contains(head.status) else {
      throw StressConnection.Problem("\(wanted.kind) was answered with \(head.status)")
    }
    guard head.length != nil else { throw StressConnection.Problem("an answer without a length") }
    if head.closes != closes { throw StressConnection.Problem("Connection: close is \(head.closes), not \(closes)") }
    if head.status >= 400 {
      guard head.isProblem, head.hasRequestID else {
        throw StressConnection.Problem("\(head.status) without a problem document or a request's identifier")
      }
    }
    if (head.status == 405) != head.allows { throw StressConnection.Problem("Allow with \(head.status)") }
  }

  private func receiveBody(
    _ connection: StressConnection, _ head: StressConnection.Head, _ wanted: Expected, _ length: Int
  ) throws {
    if head.status != 200 {
      // A problem document: an object from its first byte to its last.
      return try connection.receiveBody(length) { piece, offset in
        if offset == 0, piece.first != UInt8(ascii: "{") { throw StressConnection.Problem("no object") }
        if offset + piece.count == length, !piece.suffix(2).contains(UInt8(ascii: "}")) {
          throw StressConnection.Problem("an object without end")
        }
      }
    }
    let source: [UInt8]
    let from: Int
    let count: Int
    switch wanted.kind {
    case .echo, .chunked: (source, from, count) = (StressClient.noise, wanted.from, wanted.count)
    case .blob: (source, from, count) = (StressRoutes.blob, 0, StressRoutes.blob.count)
    default: (source, from, count) = (StressRoutes.text, 0, StressRoutes.text.count)
    }
    guard count == length else {
      throw StressConnection.Problem("\(length) bytes for \(wanted.kind) instead of \(count)")
    }
    try connection.receiveBody(length) { piece, offset in
      let isSame = source.withUnsafeBytes { bytes in
        guard let one = piece.baseAddress, let other = bytes.baseAddress else { return piece.isEmpty }
        return memcmp(one, other + from + offset, piece.count) == 0
      }
      if !isSame { throw StressConnection.Problem("other bytes than expected for \(wanted.kind)") }
    }
  }

  // MARK: leaving

  /// Leaves in the middle of something, with an end of stream or with a reset.
  private func leave(_ connection: StressConnection) throws {
    func send(_ text: String, requests: Int = 1) {
      left += requests
      // The server may have closed already what it has refused.
      try? connection.send(Array(text.utf8))
    }
    func get(_ path: String) -> String { "GET /left/\(path) HTTP/1.1\r\nHost: stress.example\r\n\r\n" }
    let post = "POST /left/echo HTTP/1.1\r\nHost: stress.example\r\n"
    if random.below(2) == 0 { connection.resetWhenClosed() }
    switch random.below(9) {
    case 0: send("GET /left/sh")
    case 1: send("GET /left/short HTTP/1.1\r\nHost: stre")
    case 2: send(post + "Content-Length: 1000\r\n\r\nabc")
    case 3: send(post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n7\r\nab")
    case 4: send(get("short"))
    case 5: send(get("sleep?ms=\(random.below(4))"))
    case 6: send(get("limited?ms=3"))
    case 7:
      send(get("blob"))
      try? connection.skip()
    default:
      let count = 2 + random.below(7)
      send(String(repeating: get(random.below(2) == 0 ? "short" : "sleep?ms=0"), count: count), requests: count)
      if random.below(2) == 0 { try? connection.skip() }
    }
  }
}
