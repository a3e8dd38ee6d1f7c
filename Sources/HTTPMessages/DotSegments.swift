/// Removal of `.` and `..` from paths (RFC 3986 section 5.2.4), by segment.
enum DotSegments {
  /// How many dots a segment consists of: 1 or 2 for `.` and `..`, else 0. `encoded`: `%2E` counts as a dot.
  @inline(__always)
  static func dots(_ segment: UnsafeRawBufferPointer, encoded: Bool) -> Int {
    guard segment.count > 0, segment.count <= 6 else { return 0 }
    var (index, dots) = (0, 0)
    while index < segment.count {
      if segment[index] == ASCII.dot {
        index += 1
      } else if encoded, PercentCoding.escape(segment, at: index) == ASCII.dot {
        index += 3
      } else {
        return 0
      }
      dots += 1
    }
    return dots <= 2 ? dots : 0
  }

  /// Whether any segment is `.` or `..`.
  static func present(in path: UnsafeRawBufferPointer, encoded: Bool) -> Bool {
    var start = 0
    while start <= path.count {
      let end = path.firstOffset(of: ASCII.slash, from: start) ?? path.count
      if dots(path.part(start, end), encoded: encoded) > 0 { return true }
      start = end + 1
    }
    return false
  }

  /// The path without dot segments. It must begin with a slash, and so does the result: nothing climbs above the root.
  /// A dot segment at the end leaves the slash before it, as the RFC has it; empty segments are kept.
  static func removed(from path: UnsafeRawBufferPointer, encoded: Bool) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(path.count)
    var start = 1
    while start <= path.count {
      let end = path.firstOffset(of: ASCII.slash, from: start) ?? path.count
      let segment = path.part(start, end)
      let dots = dots(segment, encoded: encoded)
      if dots == 2 {
        while let last = output.popLast(), last != ASCII.slash {}
      }
      if dots == 0 {
        output.append(ASCII.slash)
        output += segment
      } else if end == path.count {
        output.append(ASCII.slash)
      }
      start = end + 1
    }
    return output.isEmpty ? [ASCII.slash] : output
  }
}
