extension MediaType {
  /// The value of a parameter, without quotes and their backslashes, or nil: `charset` → `utf-8`. Names are compared
  /// without regard to case.
  public func parameter(_ name: String) -> String? {
    text.withBytes { bytes in
      var found: String?
      var scanner = MediaTypeScanner(bytes)
      guard scanner.essence() else { return nil }
      while let (parameter, value) = scanner.parameter() {
        if found == nil, String(repairing: parameter).equalsIgnoringCase(name) { found = value }
      }
      return found
    }
  }

  /// The text with type, subtype and parameter names in lower case, or nil where it is malformed.
  static func normalized(_ bytes: UnsafeRawBufferPointer) -> String? {
    var scanner = MediaTypeScanner(bytes)
    guard scanner.essence() else { return nil }
    var result = bytes.part(0, scanner.position).map(ASCII.lowercased)
    while true {
      let before = scanner.position
      guard let (name, _) = scanner.parameter() else { break }
      guard let base = bytes.baseAddress, let start = name.baseAddress else { return nil }
      let nameEnd = start - base + name.count
      result += bytes.part(before, nameEnd).map(ASCII.lowercased)
      result += bytes.part(nameEnd, scanner.position)
    }
    return scanner.isAtEnd ? String(decoding: result, as: UTF8.self) : nil
  }
}

/// Walks `type "/" subtype *( OWS ";" OWS [ name "=" ( token / quoted-string ) ] )`.
private struct MediaTypeScanner {
  let bytes: UnsafeRawBufferPointer
  var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  private mutating func token() -> UnsafeRawBufferPointer? {
    let start = position
    while position < bytes.count, ASCII.isTokenByte(bytes[position]) { position += 1 }
    return position > start ? bytes.part(start, position) : nil
  }

  private mutating func accept(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipBlanks() {
    while position < bytes.count, bytes[position] == ASCII.space || bytes[position] == ASCII.tab {
      position += 1
    }
  }

  mutating func essence() -> Bool { token() != nil && accept(ASCII.slash) && token() != nil }

  /// The next parameter; nil at the end, or before the first malformed byte, where `position` then stays.
  mutating func parameter() -> (name: UnsafeRawBufferPointer, value: String)? {
    while true {
      let start = position
      skipBlanks()
      guard accept(0x3B) else {
        position = start
        return nil
      }
      skipBlanks()
      // RFC 9110 allows empty parameters, as in "text/html;".
      if isAtEnd || bytes[position] == 0x3B { continue }
      guard let name = token(), accept(ASCII.equals), let value = value() else {
        position = start
        return nil
      }
      return (name, value)
    }
  }

  private mutating func value() -> String? {
    guard accept(0x22) else { return token().map { String(repairing: $0) } }
    var text: [UInt8] = []
    while position < bytes.count {
      var byte = bytes[position]
      position += 1
      if byte == 0x22 { return String(decoding: text, as: UTF8.self) }
      if byte == 0x5C {
        guard position < bytes.count else { return nil }
        byte = bytes[position]
        position += 1
      }
      if ASCII.isForbiddenInValue(byte) { return nil }
      text.append(byte)
    }
    return nil
  }
}
