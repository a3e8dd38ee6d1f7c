import Glibc
import Heddle
import Testing

/// Connections: how many requests they carry, and how they end.
@Suite struct ConnectionTests {
  @Test func aThousandRequestsOnOneConnection() throws {
    try TestServer(lab: true).run { server in
      let client = try server.connect()
      for number in 0..<1000 {
        let body = Array("request \(number)".utf8)
        let reply = try client.exchange("POST", "/echo", body: body)
        guard reply.status == 200, reply.body == body else {
          Issue.record("request \(number) was answered \(reply.status) “\(reply.text)”")
          return
        }
      }
      let connections = try server.stats().connections
      // This one, and the one that asks.
      #expect(connections.acceptedTotal == 2)
    }
  }

  @Test(arguments: [1, 7, 200])
  func pipelinedRequestsAreAnsweredInOrder(count: Int) throws {
    try TestServer(lab: true).run { server in
      let client = try server.connect()
      var bytes: [UInt8] = []
      for number in 0..<count {
        // Inline, from the pool, slow and refused ones: the order is that of the requests all the same.
        switch number % 5 {
        case 0: bytes += Array("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n\(100 + number)".utf8)
        case 1: bytes += Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        case 2: bytes += Array("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        case 3: bytes += Array("GET /lab/sleep?ms=2 HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        default: bytes += Array("GET /plaintext HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        }
      }
      let sender = bytes
      try client.send(sender)
      for number in 0..<count {
        let reply = try client.receive()
        switch number % 5 {
        case 0: #expect(reply.text == "\(100 + number)")
        case 1: #expect(reply.text.contains(#""status":"ok""#))
        case 2: #expect(reply.status == 404)
        case 3: #expect(reply.text == "slept 2 ms\n")
        default: #expect(reply.text == "Hello, World!")
        }
      }
    }
  }

  @Test func aRequestMayComeByteByByte() throws {
    try TestServer(lab: true).run { server in
      let client = try server.connect()
      for byte in Array("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi".utf8) {
        try client.send([byte])
      }
      #expect(try client.receive().text == "hi")
    }
  }

  @Test func closeIsHeardAndAnswered() throws {
    try TestServer(lab: true).run { server in
      for target in ["/plaintext", "/healthz", "/lab/throw", "/nothing"] {
        let client = try server.connect()
        let reply = try client.exchange("GET", target, ["Connection: close"])
        #expect(reply.closes, "\(target)")
        #expect(try client.receiveToEnd().isEmpty)
      }
    }
  }

  @Test func theOlderVersionIsServedInItsManner() throws {
    try TestServer(lab: true).run { server in
      let once = try server.connect()
      try once.send("GET /plaintext HTTP/1.0\r\n\r\n")
      let reply = try once.receive()
      #expect(reply.status == 200)
      #expect(reply.text == "Hello, World!")
      #expect(try once.receiveToEnd().isEmpty)
      let kept = try server.connect()
      for _ in 0..<2 {
        try kept.send("GET /plaintext HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n")
        #expect(try kept.receive().text == "Hello, World!")
      }
    }
  }

  @Test func whoSaysThatNothingMoreComesIsAnswered() throws {
    try TestServer(lab: true).run { server in
      let client = try server.connect()
      try client.send("GET", "/lab/sleep?ms=20")
      client.finishSending()
      #expect(try client.receive().text == "slept 20 ms\n")
    }
  }

  @Test func aSilentConnectionIsClosed() throws {
    try TestServer(lab: true, set: { $0.http.connectionTimeout = .seconds(1) }).run { server in
      let silent = try server.connect()
      let halfway = try server.connect()
      try halfway.send("GET /plaintext HT")
      #expect(try silent.receiveToEnd().isEmpty)
      _ = try halfway.receiveToEnd()
    }
  }

  /// Bytes of a head are no sign of life: it must come whole in the time.
  @Test func aHeadThatTricklesIsCutOff() throws {
    try TestServer(lab: true, set: { $0.http.connectionTimeout = .milliseconds(300) }).run { server in
      let client = try server.connect()
      #expect(try client.exchange("GET", "/plaintext").status == 200)
      var sent = 0
      // The server must end it; how soon is not asserted, only that it does long before the head would be whole.
      let head = Array("GET /plaintext HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 6000))\r\n\r\n".utf8)
      do {
        for byte in head {
          try client.send([byte])
          sent += 1
          usleep(20_000)
        }
      } catch ClientError.system {}
      #expect(sent < head.count)
    }
  }

  /// The time of a request's handler does not count, however long it takes.
  @Test func whoWaitsForItsAnswerIsNotSilent() throws {
    try TestServer(lab: true, set: { $0.http.connectionTimeout = .milliseconds(100) }).run { server in
      let client = try server.connect()
      for _ in 0..<2 { #expect(try client.exchange("GET", "/lab/sleep?ms=500").text == "slept 500 ms\n") }
    }
  }

  /// Who takes its answer bit by bit is alive; who takes nothing is not.
  @Test func aSlowReaderIsServedAndOneThatDoesNotReadIsClosed() throws {
    try TestServer(lab: true, set: { $0.http.connectionTimeout = .milliseconds(400) }).run { server in
      let size = 6_000_000
      let slow = try server.connect()
      let stuck = try server.connect()
      try stuck.send("GET", "/lab/blob?bytes=\(size * 4)")
      try slow.send("GET", "/lab/blob?bytes=\(size)")
      var taken = 0
      while taken < size {
        let piece = try slow.receiveSome(atMost: 200_000)
        if piece == 0 { break }
        taken += piece
        usleep(50_000)
      }
      #expect(taken >= size)
      // It has read nothing so far. What the system holds for it is less than the answer.
      #expect(try stuck.receiveToEnd().count < size * 4)
    }
  }

  /// The bytes of a body are signs of life.
  @Test func aBodyThatTricklesIsTaken() throws {
    try TestServer(lab: true, set: { $0.http.connectionTimeout = .milliseconds(500) }).run { server in
      let client = try server.connect()
      try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n")
      for _ in 0..<12 {
        usleep(100_000)
        try client.send("x")
      }
      #expect(try client.receive().text == "xxxxxxxxxxxx")
    }
  }

  @Test func moreConnectionsThanAllowedWait() throws {
    try TestServer(lab: true, set: { $0.http.maxConnections = 2 }).run { server in
      let first = try server.connect()
      let second = try server.connect()
      #expect(try first.exchange("GET", "/plaintext").status == 200)
      #expect(try second.exchange("GET", "/plaintext").status == 200)
      let third = try server.connect()
      try third.send("GET", "/plaintext")
      first.close()
      #expect(try third.receive().status == 200)
      #expect(try second.exchange("GET", "/plaintext").status == 200)
    }
  }
}
