import Synchronization

/// A histogram that one thread writes and any thread reads.
///
/// One writer means that counting is a load and a store, with no locked instruction and no cache line in dispute.
package final class HistogramCell: @unchecked Sendable {
  // Unchecked: constants, and a pointer to atomics that live as long as the object. That there is one writer is the
  // caller's promise; a second one would lose counts, not corrupt memory.
  package let bounds: HistogramBounds
  private let table: BoundsTable
  private let cells: UnsafeMutablePointer<Atomic<UInt64>>
  private let nanoseconds = Atomic<UInt64>(0)

  package init(_ bounds: HistogramBounds) {
    self.bounds = bounds
    table = bounds.table
    let bucketCount = table.bucketCount
    cells = .allocate(capacity: bucketCount)
    for index in 0..<bucketCount { (cells + index).initialize(to: Atomic(0)) }
  }

  deinit {
    cells.deinitialize(count: table.bucketCount)
    cells.deallocate()
  }

  /// Counts one duration. May be called only by the one writer.
  package func record(nanoseconds duration: UInt64) {
    let cell = cells + table.bucket(of: duration)
    cell.pointee.store(cell.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    nanoseconds.store(nanoseconds.load(ordering: .relaxed) &+ duration, ordering: .relaxed)
  }

  /// The counts so far. May be called from any thread, also while the writer counts: then the sum may be one duration
  /// behind or ahead of the counts.
  package func snapshot() -> HistogramSnapshot {
    HistogramSnapshot(
      bounds: bounds.seconds, counts: (0..<table.bucketCount).map { cells[$0].load(ordering: .relaxed) },
      sum: Double(nanoseconds.load(ordering: .relaxed)) / 1e9)
  }
}
