import Synchronization

/// Records durations finely enough for quantiles; one thread writes, any thread reads.
///
/// After Gil Tene's HdrHistogram: each power of two is cut into 16 equal buckets, so a bucket is at most 1/16 as wide as
/// what falls into it, whatever its size. From 1 µs to 275 s; shorter durations share the first bucket, longer ones the
/// last. 3.6 KB each.
package final class LatencyRecorder: @unchecked Sendable {
  // Unchecked: a constant pointer to atomics that live as long as the object. That there is one writer is the caller's
  // promise; a second one would lose counts, not corrupt memory.
  private let cells: UnsafeMutablePointer<Atomic<UInt64>>
  private let nanoseconds = Atomic<UInt64>(0)
  private let longest = Atomic<UInt64>(0)

  package init() {
    cells = .allocate(capacity: LatencyScale.bucketCount)
    for index in 0..<LatencyScale.bucketCount { (cells + index).initialize(to: Atomic(0)) }
  }

  deinit {
    cells.deinitialize(count: LatencyScale.bucketCount)
    cells.deallocate()
  }

  /// Counts one duration. May be called only by the one writer.
  package func record(nanoseconds duration: UInt64) {
    let index = LatencyScale.bucket(of: duration)
    cells[index].store(cells[index].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    nanoseconds.store(nanoseconds.load(ordering: .relaxed) &+ duration, ordering: .relaxed)
    if duration > longest.load(ordering: .relaxed) { longest.store(duration, ordering: .relaxed) }
  }

  /// The durations so far. May be called from any thread, also while the writer counts: then sum and maximum may be one
  /// duration behind the counts.
  package func snapshot() -> LatencySnapshot {
    LatencySnapshot(
      counts: (0..<LatencyScale.bucketCount).map { cells[$0].load(ordering: .relaxed) },
      sumSeconds: Double(nanoseconds.load(ordering: .relaxed)) / 1e9,
      maxSeconds: Double(longest.load(ordering: .relaxed)) / 1e9)
  }

  /// Adds the durations so far to a snapshot, as ``snapshot()`` and `+=` would, without memory of its own.
  package func add(to total: inout LatencySnapshot) {
    total.add(
      sumSeconds: Double(nanoseconds.load(ordering: .relaxed)) / 1e9,
      maxSeconds: Double(longest.load(ordering: .relaxed)) / 1e9, count: { cells[$0].load(ordering: .relaxed) })
  }
}

/// The durations that one or several recorders have seen, at one moment.
package struct LatencySnapshot: Sendable, Equatable {
  private var counts: [UInt64]
  /// All durations added up.
  package private(set) var sumSeconds: Double
  /// The longest duration; 0 if there were none.
  package private(set) var maxSeconds: Double
  /// How many there were.
  package private(set) var count: UInt64

  fileprivate init(counts: [UInt64], sumSeconds: Double, maxSeconds: Double) {
    self.counts = counts
    self.sumSeconds = sumSeconds
    self.maxSeconds = maxSeconds
    count = counts.reduce(0, &+)
  }

  /// No durations.
  package init() {
    self.init(counts: Array(repeating: 0, count: LatencyScale.bucketCount), sumSeconds: 0, maxSeconds: 0)
  }

  /// The duration in seconds that the given part of all (0...1) did not exceed, to within 1/16; 1 gives the maximum.
  /// 0 if there were none.
  package func quantile(_ part: Double) -> Double {
    // At least the first: rank 0 would be the lower edge of a bucket, which nothing need come near.
    let rank = max(min(max(part, 0), 1) * Double(count), 1)
    var below = 0.0
    for (bucket, inBucket) in counts.enumerated() where inBucket > 0 {
      let reached = below + Double(inBucket)
      if reached >= rank {
        let lower = Double(LatencyScale.lowerEdge(of: bucket))
        let width = Double(LatencyScale.lowerEdge(of: bucket + 1)) - lower
        // The last bucket has no upper edge: the longest duration is as good an answer as there is.
        if bucket == LatencyScale.bucketCount - 1 || part >= 1 { return maxSeconds }
        return min((lower + width * (rank - below) / Double(inBucket)) / 1e9, maxSeconds)
      }
      below = reached
    }
    return 0
  }

  /// Both together.
  package static func + (left: LatencySnapshot, right: LatencySnapshot) -> LatencySnapshot {
    var result = left
    result += right
    return result
  }

  /// Adds the durations of another recorder.
  package static func += (left: inout LatencySnapshot, right: LatencySnapshot) {
    for index in left.counts.indices { left.counts[index] &+= right.counts[index] }
    left.sumSeconds += right.sumSeconds
    left.maxSeconds = max(left.maxSeconds, right.maxSeconds)
    left.count &+= right.count
  }

  fileprivate mutating func add(sumSeconds: Double, maxSeconds: Double, count countOf: (Int) -> UInt64) {
    for bucket in counts.indices {
      let more = countOf(bucket)
      counts[bucket] &+= more
      count &+= more
    }
    self.sumSeconds += sumSeconds
    self.maxSeconds = max(self.maxSeconds, maxSeconds)
  }

  /// The durations that came between two snapshots of the same recorders.
  ///
  /// Its maximum is exact if it is that of the later snapshot. Else it was not kept, and the upper edge of the bucket that it
  /// fell into stands for it.
  package static func - (later: LatencySnapshot, earlier: LatencySnapshot) -> LatencySnapshot {
    var counts = later.counts
    var highest: Int?
    for bucket in counts.indices {
      // A count never falls; were the snapshots given the wrong way round, there would be nothing between them.
      counts[bucket] -= min(counts[bucket], earlier.counts[bucket])
      if counts[bucket] > 0 { highest = bucket }
    }
    guard let highest else { return LatencySnapshot() }
    // The last bucket has no upper edge. A new maximum lies below its bucket's.
    let isLast = highest == LatencyScale.bucketCount - 1
    let edge = isLast ? later.maxSeconds : Double(LatencyScale.lowerEdge(of: highest + 1)) / 1e9
    return LatencySnapshot(
      counts: counts, sumSeconds: max(0, later.sumSeconds - earlier.sumSeconds),
      maxSeconds: min(edge, later.maxSeconds))
  }
}

/// Which durations share a bucket.
enum LatencyScale {
  /// One for what is below 2^10 ns, 16 for each power of two up to 2^38 ns, one for what is beyond.
  static let bucketCount = 1 + (38 - 10) * 16 + 1

  static func bucket(of nanoseconds: UInt64) -> Int {
    if nanoseconds < 1 << 10 { return 0 }
    if nanoseconds >= 1 << 38 { return bucketCount - 1 }
    let exponent = 63 - nanoseconds.leadingZeroBitCount
    return 1 + (exponent - 10) * 16 + Int(nanoseconds >> UInt64(exponent - 4)) & 15
  }

  /// The shortest duration of a bucket, in nanoseconds.
  static func lowerEdge(of bucket: Int) -> UInt64 {
    if bucket == 0 { return 0 }
    let (power, part) = (bucket - 1).quotientAndRemainder(dividingBy: 16)
    return UInt64(16 + part) << UInt64(power + 6)
  }
}
