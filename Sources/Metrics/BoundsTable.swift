/// The bounds of a histogram, laid out so that the bucket of a duration is found in a few instructions: it is done twice for every
/// request. Immutable; any thread.
final class BoundsTable: @unchecked Sendable {
  // Unchecked: pointers to memory that is written in `init` and then only read.

  /// The upper bounds, and behind them the greatest integer, which nothing exceeds.
  private let limits: UnsafeMutablePointer<UInt64>
  /// For each number of significant bits, the first bucket that such a duration may be in.
  private let starts: UnsafeMutablePointer<UInt8>

  /// How many buckets there are, that without an upper bound included.
  let bucketCount: Int

  init(_ nanoseconds: [UInt64]) {
    precondition(nanoseconds.count < 255, "a histogram may have at most 254 bounds")
    bucketCount = nanoseconds.count + 1
    limits = .allocate(capacity: bucketCount)
    limits.initialize(repeating: .max, count: bucketCount)
    limits.update(from: nanoseconds, count: nanoseconds.count)
    starts = .allocate(capacity: 65)
    for bits in 0...64 {
      let least: UInt64 = bits == 0 ? 0 : 1 << UInt64(bits - 1)
      (starts + bits).initialize(to: UInt8(nanoseconds.firstIndex { least <= $0 } ?? nanoseconds.count))
    }
  }

  deinit {
    limits.deallocate()
    starts.deallocate()
  }

  /// The bucket of a duration: the first whose bound it does not exceed.
  @inline(__always)
  func bucket(of duration: UInt64) -> Int {
    var bucket = Int(starts[64 - duration.leadingZeroBitCount])
    while duration > limits[bucket] { bucket += 1 }
    return bucket
  }
}
