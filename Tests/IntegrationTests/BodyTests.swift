import Heddle
import Testing

/// Bodies of requests: their limits, and clients that are slow with them.
@Suite struct BodyTests {
  private static let limit = 64 * 1024

  private static func server() throws -> TestServer {
    try TestServer(
      lab: true, set: { $0.http.maxBodyBytes = limit },
      routes: { router in
        router.post("/small", options: RouteOptions(maxBodyBytes: 10)) { .text("\($0.bodyCount)") }
        router.post("/large", options: RouteOptions(maxBodyBytes: 2 * limit)) { .text("\($0.bodyCount)") }
      })
  }

  /// Bytes of every value, in no regular order.
  static func noise(_ count: Int) -> [UInt8] {
    var state: UInt32 = 0x2545_F491
    return (0..<count).map { _ in
      state ^= state << 13
      state ^= state >> 17
      state ^= state << 5
      return UInt8(truncatingIfNeeded: state >> 8)
    }
  }

  /// The body as chunks of some sizes.
  private static func chunked(_ body: [UInt8], size: Int) -> [UInt8] {
    var result: [UInt8] = []
    var rest = body[...]
    while !rest.isEmpty {
      let piece = rest.prefix(size)
      result += Array((String(piece.count, radix: 16) + "\r\n").utf8) + piece + Array("\r\n".utf8)
      rest = rest.dropFirst(size)
    }
    return result + Array("0\r\n\r\n".utf8)
  }

  private static func head(_ target: String, _ fields: String...) -> String {
    (["POST \(target) HTTP/1.1", "Host: test"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
  }

  @Test func aMebibyteComesBackByteForByte() throws {
    try TestServer(lab: true).run { server in
      let body = BodyTests.noise(1024 * 1024)
      let client = try server.connect()
      let plain = try client.exchange("PUT", "/echo", ["Content-Type: image/png"], body: body)
      #expect(plain.status == 200)
      #expect(plain["Content-Type"] == "image/png")
      #expect(plain.body == body)
      try client.send(Array(BodyTests.head("/echo", "Transfer-Encoding: chunked").utf8))
      try client.send(BodyTests.chunked(body, size: 40_001))
      #expect(try client.receive().body == body)
    }
  }

  @Test(arguments: [false, true])
  func theLimitIsExact(isChunked: Bool) throws {
    try BodyTests.server().run { server in
      for (target, limit) in [("/echo", BodyTests.limit), ("/small", 10), ("/large", 2 * BodyTests.limit)] {
        for (count, status) in [(0, 200), (limit, 200), (limit + 1, 413)] {
          let body = BodyTests.noise(count)
          let client = try server.connect()
          if isChunked {
            try client.send(Array(BodyTests.head(target, "Transfer-Encoding: chunked").utf8))
            try client.send(BodyTests.chunked(body, size: 1000))
          } else {
            try client.send("POST", target, body: body)
          }
          let reply = try client.receive()
          #expect(reply.status == status, "\(target), \(count) bytes")
          if status == 413 {
            #expect(try reply.json(ProblemShape.self).detail?.contains("\(limit) bytes") == true)
            #expect(reply["X-Request-Id"] != nil)
          }
          // The rest was read and thrown away: the connection can go on.
          if !reply.closes { #expect(try client.exchange("GET", "/plaintext").status == 200) }
        }
      }
    }
  }

  @Test(arguments: ["Content-Length: 65537", "Content-Length: 9223372036854775807"])
  func whoAsksBeforehandIsSparedTheBody(length: String) throws {
    try BodyTests.server().run { server in
      let client = try server.connect()
      try client.send(BodyTests.head("/echo", length, "Expect: 100-continue"))
      // The answer comes at once, without 100 and without a byte of the body.
      #expect(try client.receive().status == 413)
      #expect(try client.receiveToEnd().isEmpty)
    }
  }

  @Test func whoAsksBeforehandIsToldToGoOn() throws {
    try BodyTests.server().run { server in
      let client = try server.connect()
      try client.send(BodyTests.head("/echo", "Content-Length: 5", "Expect: 100-continue"))
      #expect(try client.receive().status == 100)
      try client.send("hello")
      #expect(try client.receive().text == "hello")
      try client.send(BodyTests.head("/nothing", "Content-Length: 5", "Expect: 100-continue"))
      #expect(try client.receive().status == 404)
    }
  }

  @Test func askingDoesNotWidenTheLimitOfChunks() throws {
    try BodyTests.server().run { server in
      let client = try server.connect()
      try client.send(BodyTests.head("/small", "Transfer-Encoding: chunked", "Expect: 100-continue"))
      #expect(try client.receive().status == 100)
      try client.send(BodyTests.chunked(BodyTests.noise(11), size: 11))
      #expect(try client.receive().status == 413)
    }
  }

  @Test func aSlowBodyHoldsNoWorker() throws {
    let reached = Latch()
    reached.open()
    try TestServer(
      lab: true,
      routes: {
        $0.post("/seen") { request in
          reached.wait()
          return .text("\(request.bodyCount)")
        }
      }
    ).run { server in
      let body = BodyTests.noise(40)
      let slow = try server.connect()
      try slow.send(BodyTests.head("/echo", "Content-Length: 40"))
      let chunks = try server.connect()
      try chunks.send(BodyTests.head("/echo", "Transfer-Encoding: chunked"))
      for byte in body {
        try slow.send([byte])
        try chunks.send("1\r\n")
        try chunks.send([byte])
        try chunks.send("\r\n")
        Pause.milliseconds(1)
      }
      try chunks.send("0\r\nX-Trailer: yes\r\n\r\n")
      #expect(try slow.receive().body == body)
      #expect(try chunks.receive().body == body)
      // While both were on their way no handler was asked.
      let other = try server.connect()
      try slow.send(BodyTests.head("/seen", "Content-Length: 2"))
      try slow.send([1])
      #expect(try other.exchange("POST", "/seen", body: [1]).text == "1")
      #expect(try server.threads().workers.allSatisfy { $0.request == nil || $0.request?.route != "/seen" })
      try slow.send([2])
      #expect(try slow.receive().text == "2")
    }
  }

  @Test func aClientThatLeavesInTheMiddleOfABodyIsCounted() throws {
    try BodyTests.server().run { server in
      for leave in [{ (client: RawClient) in client.reset() }, { $0.close() }] {
        let client = try server.connect()
        try client.send(BodyTests.head("/echo", "Content-Length: 1000"))
        try client.send(BodyTests.noise(500))
        #expect(try eventually { try server.stats().requests.inFlight == 2 })
        leave(client)
      }
      #expect(try eventually { try server.stats().connections.abandonedTotal == 2 })
      // This one and no other is in flight.
      #expect(try server.stats().requests.inFlight == 1)
      #expect(try server.get("/plaintext").status == 200)
    }
  }
}
