import Glibc

/// Reads the bytes of a `sockaddr`.
enum PeerAddress {
  /// The address as text without the port: `192.0.2.1`, `2001:db8::1` (RFC 5952); an IPv4 client of an IPv6 socket
  /// as IPv4; `unix` for a local socket; empty where nothing is known.
  static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    switch family(bytes) {
    case AF_INET: return numeric(AF_INET, bytes, offset: 4, count: 4)
    case AF_INET6:
      let mapped =
        bytes.count >= 24 && bytes[8..<18].allSatisfy { $0 == 0 } && bytes[18] == 0xFF && bytes[19] == 0xFF
      return mapped
        ? numeric(AF_INET, bytes, offset: 20, count: 4) : numeric(AF_INET6, bytes, offset: 8, count: 16)
    case AF_UNIX: return "unix"
    default: return ""
    }
  }

  /// The port, or nil where the address has none.
  static func port(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard [AF_INET, AF_INET6].contains(family(bytes)), bytes.count >= 4 else { return nil }
    return Int(bytes[2]) << 8 | Int(bytes[3])
  }

  private static func family(_ bytes: UnsafeRawBufferPointer) -> Int32? {
    bytes.count >= 2 ? Int32(bytes.loadUnaligned(as: sa_family_t.self)) : nil
  }

  private static func numeric(
    _ family: Int32, _ bytes: UnsafeRawBufferPointer, offset: Int, count: Int
  ) -> String {
    guard bytes.count >= offset + count, let base = bytes.baseAddress else { return "" }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
      guard let start = buffer.baseAddress,
        let text = inet_ntop(family, base + offset, start, socklen_t(buffer.count))
      else { return "" }
      return String(cString: text)
    }
  }
}
