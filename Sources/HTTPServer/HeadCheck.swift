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

  /// Why the request is refused, if it is.
  private(set) var refusal: Refusal?
  /// What the framing says of the body, if it is sound.
  private(set) var body = Body.none

  private var hosts = 0
  private var hasBadHost = false
  private var length: Int?
  private var encodings = 0

  /// Checks a head. `version` is the text after the target, such as `HTTP/1.1`.
  init(_ storage: RequestStorage, version: UnsafeRawBufferPointer) {
    guard let minor = HeadCheck.minorVersion(version) else {
      refusal = Refusal(.httpVersionNotSupported, "this server speaks HTTP/1.1 and HTTP/1.0", closes: true)
      return
    }
    switch storage.targetForm {
    case nil:
      refuse("the request target is not of a form that RFC 9112 section 3.2 allows, or holds a byte that it forbids")
    case .authority:
      refusal = Refusal(.notImplemented, "this server is no proxy: CONNECT is not implemented", closes: true)
    default: break
    }
    for index in 0..<storage.fieldCount where refusal == nil { check(storage.field(at: index), minor: minor) }
    guard refusal == nil else { return }
    if hosts > 1 || hasBadHost || (hosts == 0 && minor > 0) {
      refuse("a request needs exactly one valid Host field (RFC 9112 section 3.2)")
    } else if encodings > 0, length != nil {
      refuse("Content-Length and Transfer-Encoding together are not allowed (RFC 9112 section 6.1)")
    } else if encodings > 1 {
      refuse("more than one Transfer-Encoding field")
    } else if encodings == 1 {
      body = .chunked
    } else if let length, length > 0 {
      body = .length(length)
    }
  }

  private mutating func check(
    _ field: (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer), minor: UInt8
  ) {
    guard HeadSyntax.isToken(field.name) else { return refuse("a header field's name is not a token") }
    guard HeadSyntax.isFieldValue(field.value) else {
      return refuse("a header field's value holds a control character")
    }
    // The four fields that are looked at have lengths of their own: most others are passed by after one comparison.
    switch field.name.count {
    case 4 where field.name.isField("host"):
      hosts += 1
      if !HeadSyntax.isHost(field.value) { hasBadHost = true }
    case 6 where field.name.isField("expect"):
      if minor > 0, !HeadSyntax.isExpectContinue(field.value) {
        refusal = Refusal(.expectationFailed, "the only expectation that is met is 100-continue")
      }
    case 14 where field.name.isField("content-length"):
      guard let new = HeadSyntax.contentLength(field.value), length == nil || length == new else {
        return refuse("Content-Length must be one number of decimal digits")
      }
      length = new
    case 17 where field.name.isField("transfer-encoding"):
      encodings += 1
      if minor == 0 { return refuse("Transfer-Encoding does not exist in HTTP/1.0") }
      if !HeadSyntax.isChunked(field.value) {
        refusal = Refusal(.notImplemented, "the only transfer coding is chunked", closes: true)
      }
    default: break
    }
  }

  private mutating func refuse(_ why: String) { refusal = Refusal(.badRequest, why, closes: true) }

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
  /// Whether the bytes are these, which must be lower-case ASCII of the same length, in either case.
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
