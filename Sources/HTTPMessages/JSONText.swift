/// JSON strings (RFC 8259 section 7), appended as bytes.
package enum JSONText {
  /// Appends a quoted string. Quotes, backslashes and control characters are escaped; everything else is UTF-8 as it is.
  package static func append(_ text: String, to output: inout [UInt8]) {
    output.append(0x22)
    text.withBytes { bytes in
      var start = 0
      for (index, byte) in bytes.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
        output += bytes.part(start, index)
        appendEscape(byte, to: &output)
        start = index + 1
      }
      output += bytes.part(start, bytes.count)
    }
    output.append(0x22)
  }

  private static func appendEscape(_ byte: UInt8, to output: inout [UInt8]) {
    let short: UInt8? =
      switch byte {
      case 0x22, 0x5C: byte
      case 0x08: 0x62
      case 0x09: 0x74
      case 0x0A: 0x6E
      case 0x0C: 0x66
      case 0x0D: 0x72
      default: nil
      }
    if let short {
      output += [0x5C, short]
    } else {
      output += [0x5C, 0x75, 0x30, 0x30, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 15)]
    }
  }
}
