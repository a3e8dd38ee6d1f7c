/// Byte classes and letter case of ASCII, as HTTP defines them (RFC 9110 section 5.6.2), without tables in memory.
enum ASCII {
  static let slash: UInt8 = 0x2F
  static let percent: UInt8 = 0x25
  static let plus: UInt8 = 0x2B
  static let dot: UInt8 = 0x2E
  static let question: UInt8 = 0x3F
  static let ampersand: UInt8 = 0x26
  static let equals: UInt8 = 0x3D
  static let colon: UInt8 = 0x3A
  static let star: UInt8 = 0x2A
  static let space: UInt8 = 0x20
  static let tab: UInt8 = 0x09

  // Bit b of the two words stands for byte b and byte 64 + b: one shift and one mask per byte, and no memory read.
  // Token bytes: ! # $ % & ' * + - . 0-9 in the low word, A-Z ^ _ ` a-z | ~ in the high one.
  private static let tokenLow: UInt64 = 0x03FF_6CFA_0000_0000
  private static let tokenHigh: UInt64 = 0x57FF_FFFF_C7FF_FFFE

  /// Whether a byte may stand in a token, as method and field names are.
  @inline(__always)
  static func isTokenByte(_ byte: UInt8) -> Bool {
    let word = byte & 0x40 == 0 ? tokenLow : tokenHigh
    return (word >> UInt64(byte & 0x3F)) & 1 != 0 && byte < 0x80
  }

  @inline(__always)
  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  @inline(__always)
  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  /// Whether a byte may not stand in a field value: every control byte but the tab (RFC 9110 section 5.5).
  @inline(__always)
  static func isForbiddenInValue(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != tab) || byte == 0x7F }

  @inline(__always)
  static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// The value of a hexadecimal digit, or nil.
  @inline(__always)
  static func hexValue(_ byte: UInt8) -> UInt8? {
    if isDigit(byte) { return byte &- 0x30 }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? letter &+ 10 : nil
  }

  /// The hexadecimal digit of a value below 16.
  @inline(__always)
  static func hexDigit(_ value: UInt8, uppercase: Bool = false) -> UInt8 {
    value < 10 ? 0x30 &+ value : (uppercase ? 0x37 : 0x57) &+ value
  }
}

extension String {
  /// Whether two texts differ at most in the case of their ASCII letters.
  func equalsIgnoringCase(_ other: String) -> Bool {
    let (a, b) = (utf8, other.utf8)
    guard a.count == b.count else { return false }
    return zip(a, b).allSatisfy { ASCII.lowercased($0) == ASCII.lowercased($1) }
  }

  /// The text with its ASCII letters in lower case, and nothing else changed.
  var asciiLowercased: String {
    utf8.contains { $0 &- 0x41 < 26 } ? String(decoding: utf8.map(ASCII.lowercased), as: UTF8.self) : self
  }
}
