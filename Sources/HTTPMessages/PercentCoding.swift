/// Percent-encoding (RFC 3986 section 2.1): always decoded exactly once.
///
/// What is not an escape (`%`, `%2`, `%zz`) stays as it is. `%00` also stays as it is: a NUL would end the text early
/// for every C function that it later reaches.
enum PercentCoding {
  /// The byte that the escape at an offset stands for, or nil where there is none.
  @inline(__always)
  static func escape(_ bytes: UnsafeRawBufferPointer, at index: Int) -> UInt8? {
    guard index + 2 < bytes.count, bytes[index] == ASCII.percent, let high = ASCII.hexValue(bytes[index + 1]),
      let low = ASCII.hexValue(bytes[index + 2])
    else { return nil }
    return high << 4 | low
  }

  /// The decoded byte at an offset, and the offset behind it.
  @inline(__always)
  static func next(_ bytes: UnsafeRawBufferPointer, _ index: Int, plusIsSpace: Bool) -> (
    byte: UInt8, next: Int
  ) {
    let byte = bytes[index]
    if byte == ASCII.percent, let decoded = escape(bytes, at: index), decoded != 0 {
      return (decoded, index + 3)
    }
    return (plusIsSpace && byte == ASCII.plus ? ASCII.space : byte, index + 1)
  }

  /// Appends the decoded bytes.
  static func decode(_ bytes: UnsafeRawBufferPointer, plusIsSpace: Bool = false, to output: inout [UInt8]) {
    var index = 0
    while index < bytes.count {
      let (byte, next) = next(bytes, index, plusIsSpace: plusIsSpace)
      output.append(byte)
      index = next
    }
  }

  /// The decoded text; what is not UTF-8 becomes U+FFFD. Without an escape nothing but the text itself is made.
  static func text(_ bytes: UnsafeRawBufferPointer, plusIsSpace: Bool = false) -> String {
    if bytes.firstOffset(of: ASCII.percent) == nil,
      !plusIsSpace || bytes.firstOffset(of: ASCII.plus) == nil
    {
      return String(repairing: bytes)
    }
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    decode(bytes, plusIsSpace: plusIsSpace, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// Whether bytes, once decoded, are these plain ones. Nothing is allocated.
  static func decoded(
    _ bytes: UnsafeRawBufferPointer, equals plain: UnsafeRawBufferPointer, plusIsSpace: Bool
  ) -> Bool {
    var (index, matched) = (0, 0)
    while index < bytes.count {
      let (byte, next) = next(bytes, index, plusIsSpace: plusIsSpace)
      guard matched < plain.count, plain[matched] == byte else { return false }
      (index, matched) = (next, matched + 1)
    }
    return matched == plain.count
  }

  /// Text made fit for a URI: every byte that may not stand in one, and every `%` that begins no escape, is encoded.
  /// Reserved bytes stay, so a whole URI keeps its parts. CR and LF cannot survive this.
  static func uri(_ text: String) -> String {
    text.withBytes { bytes in
      var output: [UInt8] = []
      output.reserveCapacity(bytes.count)
      for (index, byte) in bytes.enumerated() {
        if isURIByte(byte) || (byte == ASCII.percent && escape(bytes, at: index) != nil) {
          output.append(byte)
        } else {
          output += [
            ASCII.percent, ASCII.hexDigit(byte >> 4, uppercase: true),
            ASCII.hexDigit(byte & 15, uppercase: true),
          ]
        }
      }
      return String(decoding: output, as: UTF8.self)
    }
  }

  private static func isURIByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x22, 0x25, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B, 0x7C, 0x7D: false
    default: byte > 0x20 && byte < 0x7F
    }
  }
}
