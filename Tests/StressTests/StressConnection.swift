import Glibc

/// One connection, on which nothing is allocated for an answer: so that a million of them are a matter of minutes also where nothing
/// is optimized. Blocking and without a limit in time: a hang is the watchdog's affair. Belongs to one thread.
final class StressConnection {
  /// What is wrong, in words.
  struct Problem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// The head of an answer.
  struct Head {
    var status = 0
    var length: Int?
    var closes = false
    var isProblem = false
    var hasRequestID = false
    var allows = false
  }

  private static let capacity = 64 * 1024
  private let descriptor: Int32
  private let buffer = UnsafeMutableRawPointer.allocate(byteCount: StressConnection.capacity, alignment: 16)
  /// What has come and was not taken yet.
  private var (start, end) = (0, 0)

  /// - Parameter patience: seconds for one reading; 0: for ever
  init(port: UInt16, patience: Int = 0) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Problem("socket: errno \(errno)") }
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    if patience > 0 {
      var bound = timeval(tv_sec: patience, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &bound, socklen_t(MemoryLayout<timeval>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    while true {
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      if result == 0 { break }
      // All local ports are waiting for stragglers of earlier connections: one will be free in a moment.
      guard errno == EADDRNOTAVAIL || errno == EINTR else { throw Problem("connect: errno \(errno)") }
      usleep(1000)
    }
  }

  deinit {
    close(descriptor)
    buffer.deallocate()
  }

  // MARK: sending and leaving

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        sent += count
      } else if errno != EINTR {
        throw Problem("send: errno \(errno)")
      }
    }
  }

  /// Says that nothing more will be sent.
  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// When the object goes, the server gets a reset.
  func resetWhenClosed() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
  }

  // MARK: receiving

  /// The next answer's head, checked for its form.
  func receiveHead() throws -> Head {
    while true {
      let bytes = UnsafeRawBufferPointer(start: buffer + start, count: end - start)
      if let count = StressConnection.headLength(bytes) {
        start += count
        return try StressConnection.parse(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      }
      if bytes.count > 8192 { throw Problem("a head of more than 8 KiB") }
      guard try fill() else {
        throw Problem("the connection ended instead of an answer, after \(bytes.count) bytes of it")
      }
    }
  }

  /// The body of so many bytes, piece by piece.
  func receiveBody(_ count: Int, _ check: (UnsafeRawBufferPointer, _ offset: Int) throws -> Void) throws {
    var offset = 0
    while offset < count {
      if start == end, try !fill() { throw Problem("the connection ended after \(offset) of \(count) bytes of a body") }
      let piece = min(end - start, count - offset)
      try check(UnsafeRawBufferPointer(start: buffer + start, count: piece), offset)
      start += piece
      offset += piece
    }
  }

  /// Takes what is there, or waits for something, and forgets it.
  func skip() throws {
    _ = try fill()
    start = end
  }

  /// Nothing more comes: the server closes.
  func expectEnd() throws {
    if start < end { throw Problem("\(end - start) bytes behind the last answer") }
    while try fill() { throw Problem("\(end - start) bytes behind the last answer") }
  }

  /// False: the connection has ended.
  private func fill() throws -> Bool {
    if start == end {
      (start, end) = (0, 0)
    } else if end == StressConnection.capacity {
      memmove(buffer, buffer + start, end - start)
      (start, end) = (0, end - start)
    }
    while true {
      let count = recv(descriptor, buffer + end, StressConnection.capacity - end, 0)
      if count > 0 {
        end += count
        return true
      }
      if count == 0 { return false }
      if errno != EINTR { throw Problem("recv: errno \(errno)") }
    }
  }

  // MARK: form

  /// Bytes up to and with the first empty line.
  private static func headLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
    var from = 0
    while let base = bytes.baseAddress, let mark = memchr(base + from, 0x0A, bytes.count - from) {
      let end = UnsafeRawPointer(mark) - base
      if end == from + 1, bytes[from] == 0x0D, from > 0 { return end + 1 }
      from = end + 1
    }
    return nil
  }

  private static func parse(_ bytes: UnsafeRawBufferPointer) throws -> Head {
    var head = Head()
    var rest = bytes
    func line() throws -> UnsafeRawBufferPointer {
      guard let base = rest.baseAddress, let mark = memchr(base, 0x0A, rest.count) else {
        throw Problem("a line without end")
      }
      let count = UnsafeRawPointer(mark) - base
      guard count > 0, rest[count - 1] == 0x0D else { throw Problem("a line that ends without CR") }
      defer { rest = UnsafeRawBufferPointer(rebasing: rest[(count + 1)...]) }
      return UnsafeRawBufferPointer(rebasing: rest[..<(count - 1)])
    }
    let first = try line()
    guard first.count >= 13, starts(first, "HTTP/1.1 "), first[12] == 0x20, let status = number(first, 9..<12) else {
      throw Problem("the status line “\(String(decoding: first, as: UTF8.self))”")
    }
    head.status = status
    while true {
      let field = try line()
      if field.isEmpty { return head }
      guard let base = field.baseAddress, let colon = memchr(base, 0x3A, field.count), colon != base else {
        throw Problem("the field “\(String(decoding: field, as: UTF8.self))”")
      }
      var value = UnsafeRawPointer(colon) - base + 1
      while value < field.count, field[value] == 0x20 { value += 1 }
      if starts(field, "Content-Length:") {
        guard head.length == nil, let length = number(field, value..<field.count) else {
          throw Problem("Content-Length in “\(String(decoding: bytes, as: UTF8.self))”")
        }
        head.length = length
      } else if starts(field, "Transfer-Encoding:") {
        throw Problem("an answer in chunks")
      } else if starts(field, "Connection:") {
        head.closes = starts(UnsafeRawBufferPointer(rebasing: field[value...]), "close")
      } else if starts(field, "Content-Type:") {
        head.isProblem = starts(UnsafeRawBufferPointer(rebasing: field[value...]), "application/problem+json")
      } else if starts(field, "X-Request-Id:") {
        head.hasRequestID = true
      } else if starts(field, "Allow:") {
        head.allows = true
      }
    }
  }

  private static func starts(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
    guard let base = bytes.baseAddress, bytes.count >= text.utf8CodeUnitCount else { return false }
    return strncasecmp(base.assumingMemoryBound(to: CChar.self), text.pointer, text.utf8CodeUnitCount) == 0
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
    var result = 0
    for index in range {
      guard (0x30...0x39).contains(bytes[index]), result < 1 << 40 else { return nil }
      result = result * 10 + Int(bytes[index] - 0x30)
    }
    return range.isEmpty ? nil : result
  }
}

extension StaticString {
  fileprivate var pointer: UnsafePointer<CChar> { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}
