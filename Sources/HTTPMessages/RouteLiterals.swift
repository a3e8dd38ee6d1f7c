import Glibc

/// The paths of routes without parameters and wildcards, as they are usually sent: byte for byte as in the pattern. One look answers
/// what a walk through the tree would: a literal goes before everything else there, so no other route can win.
///
/// A hash table with open addressing over one block of text. The paths are the program's own and the table does not grow, so nobody
/// can fill it with collisions. Written once in `init`, then only read: any thread.
///
/// Unchecked because of the pointers, which live as long as the object.
final class RouteLiterals: @unchecked Sendable {
  private struct Entry {
    var hash: UInt64 = 0
    var textStart: Int32 = 0
    var textCount: Int32 = 0
    /// Where the routes of its methods stand in `slots`; -1: a free entry.
    var slots: Int32 = -1
  }

  private let entries: UnsafeMutableBufferPointer<Entry>
  private let mask: Int
  private let text: UnsafeMutableRawBufferPointer
  /// Route index by slot of the method, endpoint after endpoint; -1: none.
  private let slots: UnsafeMutableBufferPointer<Int32>

  /// - Parameters:
  ///   - paths: each once
  ///   - routes: the route of each method's slot, for each path
  init(_ paths: [(path: [UInt8], routes: [Int32])]) {
    var size = 4
    while size < paths.count * 2 { size *= 2 }
    mask = size - 1
    entries = .allocate(capacity: size)
    entries.initialize(repeating: Entry())
    text = .allocate(byteCount: paths.reduce(0) { $0 + $1.path.count }, alignment: 8)
    slots = .allocate(capacity: paths.reduce(0) { $0 + $1.routes.count })
    var (textCount, slotCount) = (0, 0)
    for (path, routes) in paths {
      path.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: text[textCount..<textCount + bytes.count]).copyMemory(from: bytes)
        let hash = RouteLiterals.hash(bytes)
        var index = RouteLiterals.place(hash) & mask
        while entries[index].slots >= 0 { index = (index + 1) & mask }
        entries[index] = Entry(
          hash: hash, textStart: Int32(textCount), textCount: Int32(bytes.count), slots: Int32(slotCount))
        textCount += bytes.count
      }
      for route in routes {
        slots.initializeElement(at: slotCount, to: route)
        slotCount += 1
      }
    }
  }

  deinit {
    entries.deallocate()
    text.deallocate()
    slots.deallocate()
  }

  /// The route of a raw path for a method's slot; -1 where this table knows none, and the tree must be asked.
  @inline(__always)
  func route(of path: UnsafeRawBufferPointer, slot: Int) -> Int32 {
    let hash = RouteLiterals.hash(path)
    var index = RouteLiterals.place(hash) & mask
    while true {
      let entry = entries[index]
      if entry.slots < 0 { return -1 }
      if entry.hash == hash, Int(entry.textCount) == path.count, let base = path.baseAddress,
        let text = text.baseAddress,
        memcmp(text + Int(entry.textStart), base, path.count) == 0
      {
        return slots[Int(entry.slots) + slot]
      }
      index = (index + 1) & mask
    }
  }

  /// Multiply and mix, eight bytes at a time.
  @inline(__always)
  private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = UInt64(truncatingIfNeeded: bytes.count)
    var offset = 0
    while offset + 8 <= bytes.count {
      hash = mix(hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    if bytes.count >= 8 {
      // The last eight once more: what has been taken already does no harm.
      return mix(hash ^ bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self))
    }
    var rest: UInt64 = 0
    while offset < bytes.count {
      rest = rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    return mix(hash ^ rest)
  }

  @inline(__always)
  private static func mix(_ value: UInt64) -> UInt64 {
    let product = value &* 0x9E37_79B9_7F4A_7C15
    return product ^ product >> 29
  }

  @inline(__always)
  private static func place(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 32) }
}
