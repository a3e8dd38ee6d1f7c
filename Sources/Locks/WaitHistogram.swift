import Synchronization

/// How long threads waited for the locks of one row: four buckets to each power of two nanoseconds.
///
/// A bucket holds what is greater than its lower edge and at most its upper edge, as Prometheus' `le` has it.
package struct WaitHistogram: Sendable {
  /// How many waits fell into each bucket.
  private let counts: [UInt64]
  /// The longest of them, in seconds: no quantile is given as more than that.
  private let longest: Double

  fileprivate init(counts: [UInt64], longest: Double) {
    self.counts = counts
    self.longest = longest
  }

  /// No waits.
  package init() { self.init(counts: Array(repeating: 0, count: Self.bucketCount), longest: 0) }

  /// How many waits there were.
  package var count: UInt64 { counts.reduce(0, &+) }

  /// The length in seconds that the given part of all waits (0...1) did not exceed, to within an eighth or so:
  /// interpolated inside its bucket. 0 if there were no waits.
  package func quantile(_ part: Double) -> Double {
    let rank = min(max(part, 0), 1) * Double(count)
    var below = 0.0
    for (bucket, inBucket) in counts.enumerated() where inBucket > 0 {
      let reached = below + Double(inBucket)
      if reached >= rank {
        let lower = Self.lowerEdge(of: bucket)
        let width = Self.upperEdge(of: bucket) - lower
        return min(seconds(lower) + seconds(width) * max(rank - below, 0) / Double(inBucket), longest)
      }
      below = reached
    }
    return 0
  }

  /// Bounds, in seconds, at which ``cumulativeCounts(at:)`` is exact: powers of four from 1.024 µs to 4.3 s.
  package static let exactBounds: [Double] = (5...16).map { seconds(UInt64(1) << (2 * $0)) }

  /// For each bound in seconds, how many waits were not longer. Exact at ``exactBounds``; elsewhere, those in the bucket
  /// that the bound cuts are left out. The bounds must ascend.
  package func cumulativeCounts(at bounds: [Double]) -> [UInt64] {
    var bucket = 0
    var sum: UInt64 = 0
    return bounds.map { bound in
      while bucket < counts.count, seconds(Self.upperEdge(of: bucket)) <= bound {
        sum &+= counts[bucket]
        bucket += 1
      }
      return sum
    }
  }

  // MARK: Buckets

  /// Up to 2^43 ns, which is 2.4 hours; the last bucket also takes what is longer.
  static let bucketCount = 42 * 4

  /// The bucket of a length: the position of the highest bit of `nanoseconds - 1` and the two bits behind it. One less,
  /// so that a power of two belongs to the bucket that it closes.
  static func bucket(of nanoseconds: UInt64) -> Int {
    if nanoseconds <= 4 { return max(Int(nanoseconds), 1) - 1 }
    let below = nanoseconds - 1
    let exponent = 63 - below.leadingZeroBitCount
    let quarter = Int(below >> UInt64(exponent - 2)) & 3
    return min((exponent - 1) * 4 + quarter, bucketCount - 1)
  }

  static func lowerEdge(of bucket: Int) -> UInt64 { bucket == 0 ? 0 : upperEdge(of: bucket - 1) }

  static func upperEdge(of bucket: Int) -> UInt64 {
    if bucket < 4 { return UInt64(bucket) + 1 }
    return UInt64(4 + bucket % 4 + 1) << UInt64(bucket / 4 - 1)
  }
}

/// The counters behind a ``WaitHistogram``. Any thread may add.
struct WaitHistogramCells: ~Copyable {
  private let cells: UnsafeMutablePointer<Atomic<UInt64>>

  init() {
    cells = .allocate(capacity: WaitHistogram.bucketCount)
    for index in 0..<WaitHistogram.bucketCount { (cells + index).initialize(to: Atomic(0)) }
  }

  deinit {
    cells.deinitialize(count: WaitHistogram.bucketCount)
    cells.deallocate()
  }

  func add(nanoseconds: UInt64) {
    cells[WaitHistogram.bucket(of: nanoseconds)].wrappingAdd(1, ordering: .relaxed)
  }

  func snapshot(longest: Double) -> WaitHistogram {
    let counts = (0..<WaitHistogram.bucketCount).map { cells[$0].load(ordering: .relaxed) }
    return WaitHistogram(counts: counts, longest: longest)
  }
}
