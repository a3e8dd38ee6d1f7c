import CMicroHTTPD
import CPlatform
import Glibc

/// A client's connection as its lane sees it, from accepting to closing. The leader's; one reference belongs to libmicrohttpd's
/// connection (its "socket context").
final class ClientConnection: @unchecked Sendable {
  // Unchecked: all of it is the leader's, and handed on with leadership.

  /// What the client is waited for to do.
  enum Phase: UInt8 {
    /// Send a request.
    case idle
    /// Send the rest of a request's body.
    case sendingBody
    /// Nothing: a request of its is being served.
    case waiting
    /// Take an answer.
    case receiving
  }

  /// The connection's socket.
  let socket: Int32

  /// The peer's `sockaddr`, in libmicrohttpd's memory of the connection.
  let peer: UnsafeRawBufferPointer

  @exclusivity(unchecked) var phase = Phase.idle
  /// When it was last seen to do something: CLOCK_MONOTONIC, nanoseconds.
  @exclusivity(unchecked) fileprivate(set) var activeAt: Int64 = 0
  /// Bytes that its peer has acknowledged, when that was last looked at; at first no number that can be.
  @exclusivity(unchecked) fileprivate var acknowledged = UInt64.max
  // Neighbours in the order of activity.
  @exclusivity(unchecked) fileprivate var previous: Unmanaged<ClientConnection>?
  @exclusivity(unchecked) fileprivate var next: Unmanaged<ClientConnection>?

  init(socket: Int32, peer: UnsafeRawBufferPointer) {
    self.socket = socket
    self.peer = peer
  }

  /// What libmicrohttpd knows of a connection that it has accepted.
  convenience init(_ connection: OpaquePointer) {
    var peer = UnsafeRawBufferPointer(start: nil, count: 0)
    if let address = heddle_mhd_client_address(connection) {
      let isIPv6 = Int32(address.pointee.sa_family) == AF_INET6
      let size = isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
      peer = UnsafeRawBufferPointer(start: address, count: size)
    }
    self.init(socket: heddle_mhd_socket(connection), peer: peer)
  }
}

/// The connections of a lane in the order in which they were last active, so that those silent for too long are found at its head.
///
/// libmicrohttpd has such a limit of its own, which costs it seven readings of the clock and three locks for each request. Here a
/// request costs one change of places in a list, and nobody is looked at before his time. The leader's.
struct ClientConnections: ~Copyable {
  /// How long a connection may be silent, in nanoseconds; 0: for ever.
  private let limit: Int64
  private var first: Unmanaged<ClientConnection>?
  private var last: Unmanaged<ClientConnection>?

  /// When somebody may be due, and ``closeSilent(at:)`` is to be called; `Int64.max`: there is nobody.
  private(set) var nextLook = Int64.max

  init(limit: Int64) { self.limit = limit }

  /// A client has come.
  mutating func add(_ client: ClientConnection, at now: Int64) {
    guard limit > 0 else { return }
    client.activeAt = now
    append(client)
    if nextLook == .max { nextLook = now &+ limit }
  }

  /// A client has gone.
  mutating func remove(_ client: ClientConnection) {
    guard limit > 0 else { return }
    unlink(client)
  }

  /// A client has done something.
  @inline(__always)
  mutating func touch(_ client: ClientConnection, at now: Int64) {
    guard limit > 0 else { return }
    client.activeAt = now
    if last?.toOpaque() == Unmanaged.passUnretained(client).toOpaque() { return }
    unlink(client)
    append(client)
  }

  /// Ends the connections of those who were silent for too long: the library finds them closed in its next run.
  mutating func closeSilent(at now: Int64) {
    while let client = first?.takeUnretainedValue(), client.activeAt &+ limit <= now {
      switch client.phase {
      case .waiting: break  // for us
      case .receiving where hasTakenSome(client): break
      case .idle, .sendingBody, .receiving: shutdown(client.socket, Int32(SHUT_RDWR))
      }
      // Those that were closed too, until the library says that they have gone.
      touch(client, at: now)
    }
    nextLook = first.map { $0._withUnsafeGuaranteedRef { $0.activeAt } &+ limit } ?? .max
  }

  /// Whether a client that takes an answer has taken something of it since the last look. The first look takes the fact that it is
  /// answered for something, so who takes nothing is closed after one to two times the limit.
  private func hasTakenSome(_ client: ClientConnection) -> Bool {
    let acknowledged = heddle_tcp_bytes_acknowledged(client.socket)
    defer { client.acknowledged = acknowledged }
    return acknowledged != client.acknowledged
  }

  private mutating func append(_ client: ClientConnection) {
    let new = Unmanaged.passUnretained(client)
    client.previous = last
    client.next = nil
    if let last {
      last._withUnsafeGuaranteedRef { $0.next = new }
    } else {
      first = new
    }
    last = new
  }

  private mutating func unlink(_ client: ClientConnection) {
    let (previous, next) = (client.previous, client.next)
    if let previous {
      previous._withUnsafeGuaranteedRef { $0.next = next }
    } else {
      first = next
    }
    if let next {
      next._withUnsafeGuaranteedRef { $0.previous = previous }
    } else {
      last = previous
    }
  }
}
