import Glibc

/// A socket that listens, made by ourselves so that its port is known, and shared, before any lane exists.
struct ListeningSocket: ~Copyable {
  /// The descriptor. It passes to libmicrohttpd, which closes it, with ``take()``.
  private var descriptor: Int32

  /// The address it is bound to, as text, without the port.
  let address: String

  /// The port, chosen by the kernel where 0 was asked for.
  let port: UInt16

  /// Binds and listens.
  ///
  /// - Throws: ``ListenError`` with the address and the system's reason.
  init(host: String, port: UInt16, backlog: Int32, shared: Bool) throws(ListenError) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let found = getaddrinfo(host, String(port), &hints, &list)
    guard found == 0, let first = list else {
      throw ListenError(host: host, port: port, reason: String(cString: gai_strerror(found)))
    }
    defer { freeaddrinfo(list) }
    var reason = "no usable address"
    var next: UnsafeMutablePointer<addrinfo>? = first
    while let info = next?.pointee {
      next = info.ai_next
      let candidate = socket(
        info.ai_family, info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
      if candidate < 0 {
        reason = ListeningSocket.systemReason()
        continue
      }
      var on: Int32 = 1
      let size = socklen_t(MemoryLayout<Int32>.size)
      setsockopt(candidate, SOL_SOCKET, SO_REUSEADDR, &on, size)
      if shared { setsockopt(candidate, SOL_SOCKET, SO_REUSEPORT, &on, size) }
      if bind(candidate, info.ai_addr, info.ai_addrlen) == 0, listen(candidate, backlog) == 0,
        let name = ListeningSocket.name(of: candidate)
      {
        descriptor = candidate
        (address, self.port) = name
        return
      }
      reason = ListeningSocket.systemReason()
      close(candidate)
    }
    throw ListenError(host: host, port: port, reason: reason)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Gives the descriptor away.
  consuming func take() -> Int32 {
    let taken = descriptor
    descriptor = -1
    return taken
  }

  private static func systemReason() -> String { systemMessage(errno) }

  private static func name(of socket: Int32) -> (address: String, port: UInt16)? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var service = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    let result = withUnsafeMutableBytes(of: &storage) { bytes -> Int32 in
      guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        getsockname(socket, address, &length) == 0
      else { return -1 }
      return getnameinfo(
        address, length, &host, socklen_t(host.count), &service, socklen_t(service.count),
        NI_NUMERICHOST | NI_NUMERICSERV)
    }
    guard result == 0, let port = UInt16(text(service)) else { return nil }
    return (text(host), port)
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// The server cannot listen where it was told to.
public struct ListenError: Error, CustomStringConvertible {
  /// The host that was asked for.
  public let host: String
  /// The port that was asked for.
  public let port: UInt16
  /// The system's reason, such as "Address already in use".
  public let reason: String

  /// One line for people.
  public var description: String {
    let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    return "cannot listen on \(place): \(reason)"
  }
}
