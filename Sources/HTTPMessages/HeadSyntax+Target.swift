extension HeadSyntax {
  /// The four forms of a request target (RFC 9112 section 3.2).
  package enum TargetForm: Sendable {
    /// `/where?now`
    case origin
    /// `http://host/where?now`: sent to proxies, and to be accepted by every server.
    case absolute
    /// `host:port`, with CONNECT only.
    case authority
    /// `*`, with OPTIONS only.
    case asterisk
  }

  /// The form of a target, or nil where no server may accept it: empty, a control byte, a space, `#`, a byte outside
  /// ASCII, or a form that does not go with the method.
  package static func targetForm(_ target: UnsafeRawBufferPointer, method: Method) -> TargetForm? {
    targetForm(target, methodCode: method.code)
  }

  /// The same for a method by its code.
  static func targetForm(_ target: UnsafeRawBufferPointer, methodCode: UInt8) -> TargetForm? {
    guard let first = target.first else { return nil }
    guard isVisible(target) else { return nil }
    if methodCode == Method.connect.code { return isHost(target, portRequired: true) ? .authority : nil }
    if first == ASCII.slash { return .origin }
    if first == ASCII.star { return target.count == 1 && methodCode == Method.options.code ? .asterisk : nil }
    guard let authority = authority(of: target) else { return nil }
    return isHost(target.part(authority.lowerBound, authority.upperBound)) ? .absolute : nil
  }

  /// Whether every byte is a visible one of ASCII, and none is `#`.
  private static func isVisible(_ target: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while offset + 8 <= target.count {
      let word = target.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 || mayHold(word, below: 0x21, or: 0x7F, or: 0x23) { return false }
      offset += 8
    }
    while offset < target.count {
      let byte = target[offset]
      if byte <= ASCII.space || byte >= 0x7F || byte == 0x23 { return false }
      offset += 1
    }
    return true
  }

  /// Where the authority of an absolute-form target lies; nil where the target has no `scheme://`.
  package static func authority(of target: UnsafeRawBufferPointer) -> Range<Int>? {
    guard let first = target.first, ASCII.isLetter(first), let colon = target.firstOffset(of: ASCII.colon),
      colon + 2 < target.count, target[colon + 1] == ASCII.slash, target[colon + 2] == ASCII.slash
    else { return nil }
    for byte in target.part(0, colon) {
      guard
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == ASCII.plus || byte == 0x2D || byte == ASCII.dot
      else { return nil }
    }
    var end = colon + 3
    while end < target.count, target[end] != ASCII.slash, target[end] != ASCII.question { end += 1 }
    return colon + 3..<end
  }

  /// Whether bytes are a valid `Host` value: `uri-host [ ":" port ]` with a host that is not empty, and no user
  /// information (RFC 9110 sections 4.2.1, 4.2.4 and 7.2). `port` may be empty, as the grammar has it.
  package static func isHost(_ bytes: UnsafeRawBufferPointer, portRequired: Bool = false) -> Bool {
    var end = 0
    if bytes.first == 0x5B {
      guard let close = bytes.firstOffset(of: 0x5D), isIPLiteral(bytes.part(1, close)) else { return false }
      end = close + 1
    } else {
      while end < bytes.count, bytes[end] != ASCII.colon { end += 1 }
      guard end > 0, isRegisteredName(bytes.part(0, end)) else { return false }
    }
    guard end < bytes.count else { return !portRequired }
    guard bytes[end] == ASCII.colon else { return false }
    let port = bytes.part(end + 1, bytes.count)
    return port.isEmpty ? !portRequired : contentLength(port).map { $0 <= 65535 } ?? false
  }

  /// `reg-name` of RFC 3986: unreserved, percent-encoded and sub-delims. IPv4 addresses are of this form too.
  private static func isRegisteredName(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == ASCII.percent {
        guard PercentCoding.escape(bytes, at: index) != nil else { return false }
        index += 3
        continue
      }
      // Unreserved and sub-delims are the token bytes but for # ^ ` |, together with ( ) , ; =
      switch byte {
      case 0x23, 0x5E, 0x60, 0x7C: return false
      case 0x28, 0x29, 0x2C, 0x3B, 0x3D: break
      default: if !ASCII.isTokenByte(byte) { return false }
      }
      index += 1
    }
    return true
  }

  /// What stands between the brackets: hexadecimal digits, colons and dots with at least two colons, or `v1.…`.
  private static func isIPLiteral(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first else { return false }
    if first | 0x20 == 0x76 {
      return bytes.count > 3 && bytes.allSatisfy { ASCII.isTokenByte($0) || $0 == ASCII.colon }
    }
    var colons = 0
    for byte in bytes {
      if byte == ASCII.colon { colons += 1 }
      guard byte == ASCII.colon || byte == ASCII.dot || ASCII.hexValue(byte) != nil else { return false }
    }
    return colons >= 2
  }
}
