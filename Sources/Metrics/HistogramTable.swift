import Locks
import Synchronization

/// Histograms by key, which one thread writes and any thread reads: one shard of a labelled metric.
///
/// The index belongs to the writer alone, who therefore finds a key without any lock. Readers go through a list, which
/// grows under a lock when a key is new. Keys beyond the limit are counted together, under ``overflowKey``.
package final class HistogramTable: @unchecked Sendable {
  // Unchecked: `slots`, `mask`, `keyCount` and `overflow` are used by the one writer only; the rest is a constant, an
  // atomic, or locked.

  /// The key under which everything is counted that found the table full.
  package static let overflowKey = UInt64.max

  package let bounds: HistogramBounds
  package let maximumKeys: Int

  private struct Slot {
    var key: UInt64
    /// Kept alive by `entries`; nil in a free slot.
    var cell: Unmanaged<HistogramCell>?
  }

  private var slots: UnsafeMutablePointer<Slot>
  private var mask: Int
  private var keyCount = 0
  private var overflow: HistogramCell?
  private let overflowCount = Atomic<UInt64>(0)
  private let entries = Locked<[(key: UInt64, cell: HistogramCell)]>("metrics.histograms", [])

  /// - Parameters:
  ///   - bounds: of every histogram in the table
  ///   - maximumKeys: how many keys it takes, ``overflowKey`` not included
  package init(_ bounds: HistogramBounds, maximumKeys: Int = 1000) {
    self.bounds = bounds
    self.maximumKeys = maximumKeys
    mask = 15
    slots = Self.makeSlots(mask + 1)
  }

  deinit { slots.deallocate() }

  /// Counts one duration under a key. May be called only by the one writer. Takes a lock only for a new key.
  package func record(key: UInt64, nanoseconds: UInt64) {
    let index = find(key)
    if let cell = slots[index].cell {
      cell._withUnsafeGuaranteedRef { $0.record(nanoseconds: nanoseconds) }
    } else {
      recordNew(key: key, nanoseconds: nanoseconds)
    }
  }

  /// How many durations were counted under ``overflowKey`` because the table was full. May be read from any thread.
  package var overflowTotal: UInt64 { overflowCount.load(ordering: .relaxed) }

  /// The histograms so far. May be called from any thread; holds up the writer only if it has a new key meanwhile.
  package func snapshot() -> [UInt64: HistogramSnapshot] {
    let entries = self.entries.withLock { $0 }
    return Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.cell.snapshot()) })
  }

  // MARK: The writer's index

  /// The slot of a key, or the free one where it would go.
  private func find(_ key: UInt64) -> Int {
    // Fibonacci hashing: the keys are often small numbers or pointers, whose low bits say little.
    var index = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
    while let _ = slots[index].cell, slots[index].key != key { index = (index + 1) & mask }
    return index
  }

  @inline(never)
  private func recordNew(key: UInt64, nanoseconds: UInt64) {
    if key == Self.overflowKey || keyCount == maximumKeys {
      let cell = overflow ?? addEntry(Self.overflowKey)
      overflow = cell
      cell.record(nanoseconds: nanoseconds)
      overflowCount.store(overflowCount.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
      return
    }
    if (keyCount + 1) * 2 > mask { grow() }
    let cell = addEntry(key)
    slots[find(key)] = Slot(key: key, cell: .passUnretained(cell))
    keyCount += 1
    cell.record(nanoseconds: nanoseconds)
  }

  private func addEntry(_ key: UInt64) -> HistogramCell {
    let cell = HistogramCell(bounds)
    entries.withLock { $0.append((key, cell)) }
    return cell
  }

  private func grow() {
    let (old, oldCount) = (slots, mask + 1)
    mask = oldCount * 2 - 1
    slots = Self.makeSlots(mask + 1)
    for index in 0..<oldCount where old[index].cell != nil { slots[find(old[index].key)] = old[index] }
    old.deallocate()
  }

  private static func makeSlots(_ count: Int) -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
    slots.initialize(repeating: Slot(key: 0, cell: nil), count: count)
    return slots
  }
}
