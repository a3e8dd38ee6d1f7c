/// How often something took how long, at one moment.
package struct HistogramSnapshot: Sendable, Equatable {
  /// The upper bounds of the buckets in seconds, ascending. What equals a bound falls into its bucket.
  package let bounds: [Double]
  /// How many fell into each bucket: not cumulative, and one more than there are bounds, for what exceeds the last.
  package private(set) var counts: [UInt64]
  /// All durations added up, in seconds.
  package private(set) var sum: Double
  /// How many there were.
  package var count: UInt64 { counts.reduce(0, &+) }

  /// - Parameter counts: one count for each bound and one for what exceeds the last
  package init(bounds: [Double], counts: [UInt64], sum: Double) {
    precondition(counts.count == bounds.count + 1, "\(counts.count) counts for \(bounds.count) bounds")
    self.bounds = bounds
    self.counts = counts
    self.sum = sum
  }

  /// Makes a histogram of cumulative counts: how many did not exceed each bound, and how many there were in all.
  package init(bounds: [Double], cumulativeCounts: [UInt64], count: UInt64, sum: Double) {
    var below: UInt64 = 0
    let counts = (cumulativeCounts + [count]).map { cumulative in
      // A source that counts while it is read may show a total that is a little behind.
      let inBucket = cumulative > below ? cumulative - below : 0
      below = max(below, cumulative)
      return inBucket
    }
    self.init(bounds: bounds, counts: counts, sum: sum)
  }

  /// A histogram in which nothing has been counted.
  package static func empty(_ bounds: HistogramBounds) -> HistogramSnapshot {
    HistogramSnapshot(
      bounds: bounds.seconds, counts: Array(repeating: 0, count: bounds.seconds.count + 1), sum: 0)
  }

  /// For each bound, how many did not exceed it.
  package var cumulativeCounts: [UInt64] {
    var sum: UInt64 = 0
    return counts.dropLast().map {
      sum &+= $0
      return sum
    }
  }

  /// Both together. They must have the same bounds.
  package static func + (left: HistogramSnapshot, right: HistogramSnapshot) -> HistogramSnapshot {
    var result = left
    result += right
    return result
  }

  /// Adds another histogram, which must have the same bounds.
  package static func += (left: inout HistogramSnapshot, right: HistogramSnapshot) {
    precondition(left.bounds == right.bounds, "histograms of different bounds cannot be added")
    for index in left.counts.indices { left.counts[index] &+= right.counts[index] }
    left.sum += right.sum
  }
}

/// The bounds of a histogram's buckets, in the two units in which they are needed.
package struct HistogramBounds: Sendable {
  package let nanoseconds: [UInt64]
  package let seconds: [Double]
  /// The same for those who count.
  let table: BoundsTable

  /// - Parameter nanoseconds: the upper bounds, ascending
  package init(nanoseconds: [UInt64]) {
    precondition(zip(nanoseconds, nanoseconds.dropFirst()).allSatisfy { $0 < $1 }, "bounds must ascend")
    self.nanoseconds = nanoseconds
    // Divided, not multiplied by 1e-9, so that each is the double nearest to the decimal number that it prints as.
    seconds = nanoseconds.map { Double($0) / 1e9 }
    table = BoundsTable(nanoseconds)
  }

  /// For the duration of requests: those that OpenTelemetry recommends, from 5 ms to 10 s, and finer ones from 50 µs.
  package static let requestDuration = HistogramBounds(nanoseconds: [
    50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000,
    75_000_000, 100_000_000, 250_000_000, 500_000_000, 750_000_000, 1_000_000_000, 2_500_000_000,
    5_000_000_000, 7_500_000_000, 10_000_000_000,
  ])
}
