import Glibc

/// A growable run of bytes outside Swift's heap objects: appending is a bounds test and a copy, with no reference
/// count and no exclusivity check on the way. Owned by exactly one place, hence not copyable.
struct ByteStore: ~Copyable {
  private(set) var base: UnsafeMutableRawPointer
  private(set) var capacity: Int
  private(set) var count = 0
  private let initialCapacity: Int

  init(capacity: Int) {
    self.base = ByteStore.allocate(capacity)
    self.capacity = capacity
    self.initialCapacity = capacity
  }

  deinit { free(base) }

  /// All bytes; valid until the next change.
  @inline(__always)
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// The bytes of a range; valid until the next change.
  @inline(__always)
  subscript(range: ByteRange) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + range.start, count: range.length)
  }

  /// Appends bytes that lie outside this store, and says where they are now.
  @discardableResult
  @inline(__always)
  mutating func append(_ source: UnsafeRawBufferPointer) -> ByteRange {
    let start = count
    if let from = source.baseAddress, source.count > 0 {
      if source.count > capacity - count { grow(by: source.count) }
      memcpy(base + start, from, source.count)
      count += source.count
    }
    return ByteRange(start, source.count)
  }

  /// Makes room for so many more bytes.
  mutating func reserve(_ more: Int) {
    if more > capacity - count { grow(by: more) }
  }

  /// Where bytes lie in this store; nil where they lie elsewhere.
  func range(of bytes: UnsafeRawBufferPointer) -> ByteRange? {
    guard let start = bytes.baseAddress, start >= UnsafeRawPointer(base),
      start + bytes.count <= UnsafeRawPointer(base) + count
    else { return nil }
    return ByteRange(start - UnsafeRawPointer(base), bytes.count)
  }

  /// Forgets the bytes. Memory above `bound` is given back.
  mutating func removeAll(keepingUpTo bound: Int) {
    count = 0
    if capacity > bound {
      free(base)
      capacity = initialCapacity
      base = ByteStore.allocate(capacity)
    }
  }

  private mutating func grow(by more: Int) {
    let needed = count + more
    capacity = max(capacity * 2, needed)
    guard let moved = realloc(base, capacity) else { fatalError("out of memory: \(capacity) bytes") }
    base = moved
  }

  private static func allocate(_ capacity: Int) -> UnsafeMutableRawPointer {
    guard let base = malloc(max(capacity, 1)) else { fatalError("out of memory: \(capacity) bytes") }
    return base
  }
}

/// Where some bytes lie in a `ByteStore`. 32 bits each: a head is limited to far less.
struct ByteRange {
  private let offset: UInt32
  private let count: UInt32

  @inline(__always)
  init(_ start: Int, _ length: Int) {
    offset = UInt32(start)
    count = UInt32(length)
  }

  static var empty: ByteRange { ByteRange(0, 0) }

  @inline(__always)
  var start: Int { Int(offset) }
  @inline(__always)
  var length: Int { Int(count) }
}
