import CMicroHTTPD
import Glibc
import HTTPMessages

/// The only place where libmicrohttpd calls into Swift: each function recovers the object behind a pointer and hands over.
///
/// Ownership behind the pointers: the daemon's context is the lane, unretained, since a lane stops its daemon before it goes.
/// A request's context is the exchange, retained from ``begin`` to ``completed``; a connection's is its ``ClientConnection``, retained
/// from its start to its end.
enum MHDCallbacks {
  /// Starts a daemon that has no thread of its own.
  ///
  /// `MHD_USE_EPOLL` without an internal thread is libmicrohttpd's "external" mode: nothing happens but in `MHD_run`.
  /// The client's strictness level stays at its default: level -1 alone refuses a blank before the colon, and 1 doubles a 400.
  static func start(socket: Int32, lane: HTTPLane, configuration: HTTPConfiguration) -> OpaquePointer? {
    let context = Unmanaged.passUnretained(lane).toOpaque()
    var options: [MHD_OptionItem] = [
      MHD_OptionItem(option: .LISTEN_SOCKET, value: Int(socket), ptr_value: nil),
      MHD_OptionItem(option: .CONNECTION_LIMIT, value: configuration.connectionsPerLane, ptr_value: nil),
      MHD_OptionItem(option: .CONNECTION_MEMORY_LIMIT, value: configuration.connectionMemory, ptr_value: nil),
      MHD_OptionItem(option: .URI_LOG_CALLBACK, value: address(of: begin), ptr_value: context),
      MHD_OptionItem(option: .UNESCAPE_CALLBACK, value: address(of: keepEscaped), ptr_value: nil),
      MHD_OptionItem(option: .NOTIFY_COMPLETED, value: address(of: completed), ptr_value: context),
      MHD_OptionItem(option: .NOTIFY_CONNECTION, value: address(of: connectionChanged), ptr_value: context),
    ]
    if configuration.maxConnectionsPerAddress > 0 {
      options.append(
        MHD_OptionItem(
          option: .PER_IP_CONNECTION_LIMIT, value: configuration.maxConnectionsPerAddress, ptr_value: nil))
    }
    options.append(MHD_OptionItem(option: .END, value: 0, ptr_value: nil))
    let flags = MHD_USE_EPOLL.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
    return heddle_mhd_start(flags, access, context, &options)
  }

  /// Copies a request's header fields. In the access handler, on its first call for a request, only.
  ///
  /// - Parameter size: of the whole head
  /// - Returns: whether the head is what it seems: see ``HeadWalk``
  static func copyFields(
    of connection: OpaquePointer, into head: RequestHead, method: UnsafeRawBufferPointer,
    version: UnsafeRawBufferPointer, size: Int
  ) -> Bool {
    var copy = HeadCopy(
      head: head, walk: HeadWalk(method: method, target: head.targetBytes, version: version, size: size))
    withUnsafeMutablePointer(to: &copy) {
      _ = MHD_get_connection_values_n(connection, .HEADER_KIND, addField, $0)
    }
    return !HeadWalk.isPossible || copy.walk.isComplete
  }

  /// What the lane keeps for a connection: see ``ClientConnection``.
  static func client(of connection: OpaquePointer) -> Unmanaged<ClientConnection>? {
    heddle_mhd_socket_context(connection).map { Unmanaged.fromOpaque($0) }
  }
}

// MARK: the C functions

private typealias URILog =
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer?
private typealias Unescape =
  @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int

private func address(of function: @escaping URILog) -> Int { unsafeBitCast(function, to: Int.self) }
private func address(of function: @escaping Unescape) -> Int { unsafeBitCast(function, to: Int.self) }
private func address(of function: @escaping MHD_RequestCompletedCallback) -> Int {
  unsafeBitCast(function, to: Int.self)
}
private func address(of function: @escaping MHD_NotifyConnectionCallback) -> Int {
  unsafeBitCast(function, to: Int.self)
}

/// What stands behind a context pointer, for the time of a call: without a reference of its own, since the one that the pointer
/// stands for outlives the call.
@inline(__always)
private func with<Object: AnyObject, Result>(
  _: Object.Type, at pointer: UnsafeMutableRawPointer, _ body: (Object) -> Result
) -> Result {
  Unmanaged<Object>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
}

/// The first line of a request has come: the raw target, before libmicrohttpd decodes or cuts anything.
private func begin(
  _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  guard let context, let target, let connection else { return nil }
  let bytes = UnsafeRawBufferPointer(start: target, count: strlen(target))
  return with(HTTPLane.self, at: context) { lane in
    lane.calls &+= 1
    return lane.begin(connection: connection, target: bytes).toOpaque()
  }
}

/// Percent-decoding is ours: libmicrohttpd's would cut the path at `%00`.
private func keepEscaped(
  _: UnsafeMutableRawPointer?, _: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?
) -> Int { text.map { strlen($0) } ?? 0 }

private func access(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ upload: UnsafePointer<CChar>?,
  _ uploadSize: UnsafeMutablePointer<Int>?, _ exchange: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context, let connection, let method, let version, let uploadSize, let pointer = exchange?.pointee
  else { return .NO }
  return with(HTTPLane.self, at: context) { lane in
    lane.calls &+= 1
    return with(Exchange.self, at: pointer) { exchange in
      switch exchange.stage {
      case .head:
        lane.receiveHead(
          exchange, connection, method: UnsafeRawBufferPointer(start: method, count: strlen(method)),
          version: UnsafeRawBufferPointer(start: version, count: strlen(version)))
      case .body where uploadSize.pointee > 0:
        lane.receiveBody(exchange, takePiece(upload, uploadSize))
      case .body:
        lane.requestIsComplete(exchange, connection)
      case .waiting:
        lane.meetAgain(exchange, connection)
      case .answered:
        .YES
      }
    }
  }
}

/// A piece of the body, which counts as taken.
private func takePiece(_ bytes: UnsafePointer<CChar>?, _ size: UnsafeMutablePointer<Int>) -> UnsafeRawBufferPointer {
  let piece = UnsafeRawBufferPointer(start: bytes, count: size.pointee)
  size.pointee = 0
  return piece
}

/// libmicrohttpd lets go of a request, answered or not.
private func completed(
  _ context: UnsafeMutableRawPointer?, _: OpaquePointer?, _ exchange: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  _ reason: MHD_RequestTerminationCode
) {
  guard let context, let pointer = exchange?.pointee else { return }
  exchange?.pointee = nil
  let ended = Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
  with(HTTPLane.self, at: context) { lane in
    lane.calls &+= 1
    lane.end(ended, isComplete: reason == .REQUEST_TERMINATED_COMPLETED_OK)
    lane.recycle(ended)
  }
}

private func connectionChanged(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ client: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ change: MHD_ConnectionNotificationCode
) {
  guard let context, let connection, let client else { return }
  with(HTTPLane.self, at: context) { lane in
    lane.calls &+= 1
    if change == .CONNECTION_NOTIFY_STARTED {
      let new = ClientConnection(connection)
      client.pointee = Unmanaged.passRetained(new).toOpaque()
      lane.arrived(new)
    } else if let pointer = client.pointee {
      client.pointee = nil
      lane.left(Unmanaged<ClientConnection>.fromOpaque(pointer).takeRetainedValue())
    }
  }
}

/// What is done with each field: it is copied, and its place looked at.
private struct HeadCopy {
  let head: RequestHead
  var walk: HeadWalk
}

private func addField(
  _ context: UnsafeMutableRawPointer?, _: MHD_ValueKind, _ name: UnsafePointer<CChar>?, _ nameLength: Int,
  _ value: UnsafePointer<CChar>?, _ valueLength: Int
) -> MHD_Result {
  guard let copy = context?.assumingMemoryBound(to: HeadCopy.self), let start = name else { return .YES }
  let name = UnsafeRawBufferPointer(start: start, count: nameLength)
  let value = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueLength)
  copy.pointee.walk.step(name: name, value: value)
  // Of a transfer coding the library itself takes the blanks for a part: what it does not read as `chunked` must not look so here.
  let isTransferEncoding = name.count == 17
  copy.pointee.head.addField(name: name, value: isTransferEncoding ? value : value.withoutTrailingBlanks)
  return .YES
}

extension UnsafeRawBufferPointer {
  /// A field's value without the blanks behind it, which are no part of it (RFC 9112 section 5.1) and which libmicrohttpd keeps.
  fileprivate var withoutTrailingBlanks: UnsafeRawBufferPointer {
    guard let last, last == 0x20 || last == 0x09 else { return self }
    var end = count
    while end > 0, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: self[..<end])
  }
}
