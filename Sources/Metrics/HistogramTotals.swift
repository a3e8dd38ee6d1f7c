/// The sum of several shards: of those that live, for one scrape, or of those whose threads have ended, kept for good.
///
/// It has a limit of its own, since each shard that comes and goes may bring other keys.
package struct HistogramTotals: Sendable {
  /// The histograms by key; what found no place is under ``HistogramTable/overflowKey``.
  package private(set) var histograms: [UInt64: HistogramSnapshot] = [:]
  /// How many durations are under ``HistogramTable/overflowKey``.
  package var overflowTotal: UInt64 { histograms[HistogramTable.overflowKey]?.count ?? 0 }
  package let maximumKeys: Int

  /// - Parameter maximumKeys: how many keys it takes, ``HistogramTable/overflowKey`` not included
  package init(maximumKeys: Int = 1000) { self.maximumKeys = maximumKeys }

  /// Adds a shard. All shards must have the same bounds.
  package mutating func absorb(_ shard: [UInt64: HistogramSnapshot]) {
    // In the order of the keys, so that which of them find the table full does not depend on a hash seed.
    for (key, histogram) in shard.sorted(by: { $0.key < $1.key }) {
      add(histogram, to: hasRoom(for: key) ? key : HistogramTable.overflowKey)
    }
  }

  /// Adds the sum of other shards.
  package mutating func absorb(_ other: HistogramTotals) { absorb(other.histograms) }

  private func hasRoom(for key: UInt64) -> Bool {
    if key == HistogramTable.overflowKey || histograms[key] != nil { return true }
    return histograms.count - (histograms[HistogramTable.overflowKey] == nil ? 0 : 1) < maximumKeys
  }

  private mutating func add(_ histogram: HistogramSnapshot, to key: UInt64) {
    if histograms[key] == nil { histograms[key] = histogram } else { histograms[key]? += histogram }
  }
}
