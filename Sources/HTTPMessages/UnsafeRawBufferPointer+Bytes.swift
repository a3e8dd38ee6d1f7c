import Glibc

extension UnsafeRawBufferPointer {
  /// The bytes from one offset up to, and not with, another.
  @inline(__always)
  func part(_ from: Int, _ end: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[from..<end])
  }

  /// Whether both hold the same bytes.
  @inline(__always)
  func equals(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard count > 0, let a = baseAddress, let b = other.baseAddress else { return true }
    return memcmp(a, b, count) == 0
  }

  /// Whether both hold the same bytes but for the case of ASCII letters.
  @inline(__always)
  func equalsIgnoringCase(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    for index in 0..<count where ASCII.lowercased(self[index]) != ASCII.lowercased(other[index]) {
      return false
    }
    return true
  }

  /// The offset of the first such byte at or after an offset, or nil.
  @inline(__always)
  func firstOffset(of byte: UInt8, from: Int = 0) -> Int? {
    guard from < count, let base = baseAddress, let hit = memchr(base + from, Int32(byte), count - from)
    else {
      return nil
    }
    return UnsafeRawPointer(hit) - base
  }

  /// The bytes without blanks (space and tab) at either end: the optional white space around a field value.
  var trimmingBlanks: UnsafeRawBufferPointer {
    var (from, end) = (0, count)
    while from < end, self[from] == ASCII.space || self[from] == ASCII.tab { from += 1 }
    while end > from, self[end - 1] == ASCII.space || self[end - 1] == ASCII.tab { end -= 1 }
    return part(from, end)
  }
}

extension String {
  /// The text of bytes; what is not UTF-8 becomes U+FFFD.
  @inline(__always)
  init(repairing bytes: UnsafeRawBufferPointer) {
    self = String(decoding: bytes, as: UTF8.self)
  }

  /// Calls with the text's UTF-8 bytes, in place where the text is stored so (literals and all native texts).
  @inline(__always)
  func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    if let result = try utf8.withContiguousStorageIfAvailable({ try body(UnsafeRawBufferPointer($0)) }) {
      return result
    }
    return try Array(utf8).withUnsafeBytes(body)
  }
}

extension StaticString {
  /// The literal's bytes, which live as long as the program.
  @inline(__always)
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: utf8Start, count: utf8CodeUnitCount) }
}

extension UnsafeRawBufferPointer {
  /// Negative, zero or positive, as these bytes come before, with, or after others of the same length.
  @inline(__always)
  func order(to other: UnsafeRawBufferPointer) -> Int {
    guard count > 0, let a = baseAddress, let b = other.baseAddress else { return 0 }
    return Int(memcmp(a, b, count))
  }
}
