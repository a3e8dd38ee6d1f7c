package import Metrics

/// What a pool's user has done so far: totals that only rise.
package struct PoolSample: Sendable {
  /// Requests, or whatever the pool is there for, that were answered.
  package let answeredTotal: UInt64
  /// How long they took.
  package let latency: LatencySnapshot

  /// Totals of this moment.
  package init(answeredTotal: UInt64, latency: LatencySnapshot) {
    self.answeredTotal = answeredTotal
    self.latency = latency
  }
}

/// What was done in the time between two samples.
package struct PoolPerformance: Sendable, Equatable {
  /// When that time began and ended: CLOCK_MONOTONIC, nanoseconds.
  package let start, end: Int64
  /// Answers per second.
  package let perSecond: Double
  /// The duration in seconds that 99 of 100 did not exceed; nil if nothing was measured.
  package let p99: Double?

  /// How long that time was.
  package var seconds: Double { Double(end - start) / 1e9 }

  init(from earlier: PoolSample, at start: Int64, to later: PoolSample, at end: Int64) {
    self.start = start
    self.end = end
    let answered = later.answeredTotal - min(later.answeredTotal, earlier.answeredTotal)
    perSecond = Double(answered) * 1e9 / Double(max(1, end - start))
    let latency = later.latency - earlier.latency
    p99 = latency.count == 0 ? nil : latency.quantile(0.99)
  }
}
