/// One request, as a handler sees it.
///
/// Copying it is one retain: it refers to bytes that are read in place and become text only when asked for. Properties
/// that make text (`path`, `headers`, `bodyText` …) make it anew at each use, so keep what is used often. It never changes
/// while a handler runs, but for `isCancelled`, and it may be kept after the answer. May be used from any thread.
public struct Request: Sendable {
  /// The bytes that it refers to.
  package let storage: RequestStorage

  /// The request whose bytes a storage holds. The storage is filled, and from here on read-only.
  package init(_ storage: RequestStorage) { self.storage = storage }

  /// A request that no network is needed for: for tests, and for calling handlers from a program.
  ///
  /// - Parameters:
  ///   - method: The method; default GET.
  ///   - target: Path and query as in a request line: `/a%20b?x=1`. Taken as it is, without any check.
  ///   - headers: The fields; none by default.
  ///   - body: The body; empty by default.
  public init(method: Method = .get, target: String, headers: HeaderFields = [:], body: [UInt8] = []) {
    let storage = RequestStorage()
    storage.method = method
    target.withBytes(storage.setTarget)
    for field in headers {
      field.name.withBytes { name in field.value.withBytes { storage.addField(name: name, value: $0) } }
    }
    body.withUnsafeBytes(storage.appendBody)
    self.storage = storage
  }

  /// The id: 16 hexadecimal digits, the same as in the log and in `X-Request-Id`.
  public var id: String { storage.idText }

  /// The method.
  public var method: Method { storage.method }

  /// The target exactly as it was sent: `/a%20b?x=1`.
  public var target: String { String(repairing: storage.targetBytes) }

  /// When the head was complete: nanoseconds of the monotonic clock.
  package var receivedAt: Int64 { storage.receivedAt }

  /// The address of the peer without its port, such as `192.0.2.1` or `2001:db8::1`; `unix` for a local socket; empty
  /// where it is not known. Behind a proxy this is the proxy's.
  public var remoteAddress: String { PeerAddress.text(storage.peerBytes) }

  /// The port of the peer, or nil where the address has none.
  public var remotePort: Int? { PeerAddress.port(storage.peerBytes) }

  /// Whether the peer is on this machine: 127.0.0.0/8, `::1`, or a local socket. A proxy on this machine is one too, whoever is
  /// behind it.
  public var isFromLoopback: Bool {
    let address = remoteAddress
    return address.hasPrefix("127.") || address == "::1" || address == "unix"
  }

  /// Whether the answer is not wanted any more: the client left, the deadline passed, or the server drains. Costs one
  /// atomic load.
  public var isCancelled: Bool { storage.isCancelled }

  /// Throws where the answer is not wanted any more: to be called now and then in long work.
  public func checkCancelled() throws(CancelledError) {
    if isCancelled { throw CancelledError() }
  }
}
