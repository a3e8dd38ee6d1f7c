import Glibc

/// One connection to a server on this machine: blocking, with bounds, and without any opinion on what may be sent.
///
/// Belongs to one thread at a time.
final class RawClient {
  /// How long one receive or send may take: far more than anything here needs, and the bound of a test that hangs.
  private static let patience = 20

  private var descriptor: Int32
  private var buffer: [UInt8] = []

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw ClientError.system("socket", errno) }
    var bound = timeval(tv_sec: RawClient.patience, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &bound, socklen_t(MemoryLayout<timeval>.size))
    }
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result != 0 {
      let error = errno
      close()
      throw ClientError.system("connect", error)
    }
  }

  deinit { close() }

  // MARK: sending

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw ClientError.system("send", errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// A request with `Host`, `Content-Length` where there is a body, and these fields.
  func send(_ method: String, _ target: String, _ fields: [String] = [], body: [UInt8] = []) throws {
    var lines = ["\(method) \(target) HTTP/1.1", "Host: test"] + fields
    if !body.isEmpty { lines.append("Content-Length: \(body.count)") }
    try send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
  }

  // MARK: receiving

  /// Reads the next answer, also an interim one. `isHead`: it answers a HEAD request, and so has no body.
  func receive(isHead: Bool = false) throws -> Reply {
    var reply = try Reply(head: take(through: Array("\r\n\r\n".utf8)))
    if isHead || reply.status < 200 || reply.status == 204 || reply.status == 304 { return reply }
    if reply["Transfer-Encoding"]?.lowercased() == "chunked" {
      reply.body = try receiveChunks()
    } else if let text = reply["Content-Length"] {
      guard let length = Int(text) else { throw ClientError.malformed("Content-Length \(text)") }
      reply.body = try take(length)
    } else {
      reply.body = try receiveToEnd()
    }
    return reply
  }

  /// Sends a request and reads its answer.
  func exchange(_ method: String, _ target: String, _ fields: [String] = [], body: [UInt8] = []) throws -> Reply {
    try send(method, target, fields, body: body)
    return try receive(isHead: method == "HEAD")
  }

  /// Reads some bytes and forgets them. Returns how many; 0: the connection has ended.
  func receiveSome(atMost count: Int) throws -> Int {
    if buffer.isEmpty, try !fill("some bytes", atMost: count) { return 0 }
    defer { buffer = [] }
    return buffer.count
  }

  /// Everything up to the end of the connection. A reset counts as an end.
  func receiveToEnd() throws -> [UInt8] {
    while try fill("the end of the connection") {}
    defer { buffer = [] }
    return buffer
  }

  private func receiveChunks() throws -> [UInt8] {
    var body: [UInt8] = []
    while true {
      let line = String(decoding: try take(through: Array("\r\n".utf8)), as: UTF8.self)
      guard let count = Int(line, radix: 16) else { throw ClientError.malformed("chunk size “\(line)”") }
      body += try take(count)
      _ = try take(through: Array("\r\n".utf8))
      if count == 0 { return body }
    }
  }

  /// The bytes before a mark; the mark is taken too.
  private func take(through mark: [UInt8]) throws -> [UInt8] {
    var from = 0
    while true {
      while from + mark.count <= buffer.count {
        if buffer[from..<from + mark.count].elementsEqual(mark) {
          defer { buffer.removeFirst(from + mark.count) }
          return Array(buffer[..<from])
        }
        from += 1
      }
      guard try fill("more of an answer") else { throw ClientError.closed(String(decoding: buffer, as: UTF8.self)) }
    }
  }

  private func take(_ count: Int) throws -> [UInt8] {
    while buffer.count < count {
      guard try fill("more of a body") else { throw ClientError.closed("\(buffer.count) of \(count) bytes") }
    }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }

  /// Reads what is there, or waits for something. False: the connection has ended.
  private func fill(_ what: String, atMost count: Int = 64 * 1024) throws -> Bool {
    var piece = [UInt8](repeating: 0, count: count)
    while true {
      let count = recv(descriptor, &piece, piece.count, 0)
      if count > 0 {
        buffer += piece[..<count]
        return true
      }
      if count == 0 || errno == ECONNRESET { return false }
      if errno == EAGAIN { throw ClientError.timeout(what) }
      if errno != EINTR { throw ClientError.system("recv", errno) }
    }
  }

  // MARK: leaving

  /// Says that nothing more will be sent.
  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Leaves at once, as a process that was killed does: the server gets a reset.
  func reset() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }
}
