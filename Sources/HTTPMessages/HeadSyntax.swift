/// Checks on the raw bytes of a request head: pure functions, nothing is copied. Callable from any thread.
///
/// A byte test is a shift and a mask; only values are long enough for vectors to pay (design: hot path).
package enum HeadSyntax {
  /// Whether bytes are a token: at least one, and only letters, digits and ``!#$%&'*+-.^_`|~`` (RFC 9110 section 5.6.2).
  package static func isToken(_ bytes: UnsafeRawBufferPointer) -> Bool {
    for byte in bytes where !ASCII.isTokenByte(byte) { return false }
    return !bytes.isEmpty
  }

  /// Whether bytes may be a field value: no control byte but the tab. Bytes from 0x80 up pass (obs-text), and so does
  /// the empty value. Blanks at the ends are not looked at.
  package static func isFieldValue(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while offset + 16 <= bytes.count {
      let lanes = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
      let bad = ((lanes .< 0x20) .& (lanes .!= ASCII.tab)) .| (lanes .== 0x7F)
      if any(bad) { return false }
      offset += 16
    }
    while offset < bytes.count {
      if ASCII.isForbiddenInValue(bytes[offset]) { return false }
      offset += 1
    }
    return true
  }

  /// The length that one `Content-Length` value gives: digits only, no sign, no blank, no list; nil where it is
  /// malformed or above `Int.max`.
  package static func contentLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard !bytes.isEmpty else { return nil }
    var length = 0
    for byte in bytes {
      guard ASCII.isDigit(byte) else { return nil }
      let (tenfold, overflow) = length.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tenfold.addingReportingOverflow(Int(byte &- 0x30))
      if overflow || carry { return nil }
      length = sum
    }
    return length
  }

  /// Whether a `Transfer-Encoding` value is exactly `chunked`, in any case: the one coding that is understood.
  package static func isChunked(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.equalsIgnoringCase(("chunked" as StaticString).bytes)
  }

  /// Whether an `Expect` value is exactly `100-continue`, in any case: anything else is answered 417.
  package static func isExpectContinue(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.equalsIgnoringCase(("100-continue" as StaticString).bytes)
  }

  /// Whether a comma-separated value, such as that of `Connection`, lists a token, in any case.
  package static func list(_ bytes: UnsafeRawBufferPointer, contains token: StaticString) -> Bool {
    var start = 0
    while start <= bytes.count {
      let end = bytes.firstOffset(of: 0x2C, from: start) ?? bytes.count
      if bytes.part(start, end).trimmingBlanks.equalsIgnoringCase(token.bytes) { return true }
      start = end + 1
    }
    return false
  }
}
