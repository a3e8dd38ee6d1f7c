import HTTPMessages

/// What libmicrohttpd lets through and RFC 9112 does not: checked on the copied head, before anything acts on the request.
///
/// A refusal for broken framing closes the connection, since where the next request begins cannot be known.
struct HeadCheck {
  /// What the framing says of the body.
  enum Body: Equatable {
    case none
    case length(Int)
    case chunked
  }

  private var hosts = 0
  private var hasBadHost = false
  private var length: Int?
  private var encodings = 0
  private let minor: UInt8

  /// Checks a head and says what its framing says of the body. `version` is the text after the target, such as `HTTP/1.1`.
  ///
  /// - Throws: why the request is refused
  static func body(
    of head: RequestHead, version: UnsafeRawBufferPointer, hosts: inout HostMemo
  ) throws(Refusal) -> Body {
    guard let minor = minorVersion(version) else {
      throw Refusal(.httpVersionNotSupported, "this server speaks HTTP/1.1 and HTTP/1.0", closes: true)
    }
    switch head.targetForm {
    case nil:
      throw bad("the request target is not of a form that RFC 9112 section 3.2 allows, or holds a byte that it forbids")
    case .authority:
      throw Refusal(.notImplemented, "this server is no proxy: CONNECT is not implemented", closes: true)
    default: break
    }
    var check = HeadCheck(minor: minor)
    for index in 0..<head.fieldCount { try check.look(at: head.field(at: index), hosts: &hosts) }
    return try check.verdict()
  }

  private init(minor: UInt8) { self.minor = minor }

  private func verdict() throws(Refusal) -> Body {
    if hosts > 1 || hasBadHost || (hosts == 0 && minor > 0) {
      throw HeadCheck.bad("a request needs exactly one valid Host field (RFC 9112 section 3.2)")
    }
    if encodings > 0, length != nil {
      throw HeadCheck.bad("Content-Length and Transfer-Encoding together are not allowed (RFC 9112 section 6.1)")
    }
    if encodings > 1 { throw HeadCheck.bad("more than one Transfer-Encoding field") }
    if encodings == 1 { return .chunked }
    if let length, length > 0 { return .length(length) }
    return .none
  }

  /// The four fields that matter have lengths of their own: most others are passed by after one comparison.
  private mutating func look(
    at field: (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer), hosts memo: inout HostMemo
  ) throws(Refusal) {
    switch field.name.count {
    case 4 where field.name.isHost:
      hosts += 1
      // A valid one has the bytes of a field value, and its name is a token.
      if memo.accepts(field.value) { return }
      hasBadHost = true
      return try lookAtBytes(field)
    case 6 where field.name.isField("expect"):
      if minor > 0, !HeadSyntax.isExpectContinue(field.value) {
        throw Refusal(.expectationFailed, "the only expectation that is met is 100-continue")
      }
    case 14 where field.name.isField("content-length"):
      guard let new = HeadSyntax.contentLength(field.value), length == nil || length == new else {
        throw HeadCheck.bad("Content-Length must be one number of decimal digits")
      }
      length = new
    case 17 where field.name.isField("transfer-encoding"):
      encodings += 1
      if minor == 0 { throw HeadCheck.bad("Transfer-Encoding does not exist in HTTP/1.0") }
      if !HeadSyntax.isChunked(field.value) {
        throw Refusal(.notImplemented, "the only transfer coding is chunked", closes: true)
      }
    default: try lookAtBytes(field)
    }
  }

  private func lookAtBytes(
    _ field: (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
  ) throws(Refusal) {
    guard HeadSyntax.isToken(field.name) else { throw HeadCheck.bad("a header field's name is not a token") }
    guard HeadSyntax.isFieldValue(field.value) else {
      throw HeadCheck.bad("a header field's value holds a control character")
    }
  }

  private static func bad(_ why: String) -> Refusal { Refusal(.badRequest, why, closes: true) }

  /// The digit after `HTTP/1.`, where it is 0 or 1; nil for any other version.
  private static func minorVersion(_ version: UnsafeRawBufferPointer) -> UInt8? {
    guard version.count == 8 else { return nil }
    let number = UInt64(littleEndian: version.loadUnaligned(as: UInt64.self))
    // "HTTP/1.0", the first letter lowest.
    let minor = number &- 0x302E_312F_5054_5448
    return minor == 0 ? 0 : minor == 1 << 56 ? 1 : nil
  }
}

extension UnsafeRawBufferPointer {
  /// Whether four bytes are `host` in any case: of a letter, one bit is its case.
  @inline(__always)
  fileprivate var isHost: Bool {
    UInt32(bigEndian: loadUnaligned(as: UInt32.self)) | 0x2020_2020 == 0x686F_7374
  }

  /// Whether the bytes are these, which must be lower-case ASCII of the same length, in either case.
  @inline(__always)
  fileprivate func isField(_ lowercase: StaticString) -> Bool {
    guard count == lowercase.utf8CodeUnitCount else { return false }
    for index in 0..<count {
      let byte = self[index]
      let lowered = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
      if lowered != lowercase.utf8Start[index] { return false }
    }
    return true
  }
}
