/// Checks on the raw bytes of a request head: pure functions, nothing is copied. Callable from any thread.
///
/// A byte test is a shift and a mask; only values are long enough to be worth reading by the word.
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
    while offset + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      // A word that looks bad may only hold a tab: then it is read by the byte.
      if mayHoldControl(word), bytes[offset..<offset + 8].contains(where: ASCII.isForbiddenInValue) { return false }
      offset += 8
    }
    while offset < bytes.count {
      if ASCII.isForbiddenInValue(bytes[offset]) { return false }
      offset += 1
    }
    return true
  }

  /// Whether any of eight bytes is below 0x20 or is 0x7F.
  @inline(__always)
  private static func mayHoldControl(_ word: UInt64) -> Bool { mayHold(word, below: 0x20, or: 0x7F, or: 0x7F) }

  /// Whether any of eight bytes is below a bound, or one of two bytes. Exact for the word, though not for each byte: a borrow can
  /// only come from a byte that is bad itself. From Sean Anderson's Bit Twiddling Hacks ("determine if a word has a byte less
  /// than n"). `SIMD16` would be the plainer form, but its `any` is a call that loops over lanes here: much slower.
  @inline(__always)
  static func mayHold(_ word: UInt64, below bound: UInt64, or first: UInt64, or second: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let high: UInt64 = 0x8080_8080_8080_8080
    let below = (word &- ones &* bound) & ~word
    let one = word ^ (ones &* first)
    let other = word ^ (ones &* second)
    return (below | ((one &- ones) & ~one) | ((other &- ones) & ~other)) & high != 0
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
