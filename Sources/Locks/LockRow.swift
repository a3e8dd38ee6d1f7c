import Synchronization

/// One row of the statistics: all locks of one name and kind, those that live and those that lived. Never freed.
///
/// Only the slow paths write here, several at once where a row has several instances: hence atomic additions.
final class LockRow: @unchecked Sendable {
  // Unchecked: the variables below are the registry's, and used only with its mutex held. The rest are constants.
  let name: String
  let kind: LockKind

  private let contentions = Atomic<UInt64>(0)
  private let tryFailures = Atomic<UInt64>(0)
  private let timeouts = Atomic<UInt64>(0)
  private let waitNanoseconds = Atomic<UInt64>(0)
  private let waitMax = Atomic<Int64>(0)
  private let holdMax = Atomic<Int64>(0)
  private let waits = WaitHistogramCells()

  /// The list of the live instances, its length, and the acquisitions of the others. The registry's mutex is held.
  var first: UnsafeMutablePointer<LockInstruments>?
  var instances = 0
  var retiredAcquisitions: UInt64 = 0

  init(name: String, kind: LockKind) {
    self.name = name
    self.kind = kind
  }

  func didFailToTry() { tryFailures.wrappingAdd(1, ordering: .relaxed) }

  func didTimeOut() { timeouts.wrappingAdd(1, ordering: .relaxed) }

  /// A thread found the lock held.
  func didContend() { contentions.wrappingAdd(1, ordering: .relaxed) }

  /// A thread that found the lock held has waited so long, with or without success.
  func didWait(nanoseconds: Int64) {
    let length = UInt64(max(nanoseconds, 0))
    waitNanoseconds.wrappingAdd(length, ordering: .relaxed)
    waits.add(nanoseconds: length)
    waitMax.raise(to: nanoseconds)
  }

  func didHold(nanoseconds: Int64) { holdMax.raise(to: nanoseconds) }

  /// The figures that do not depend on the instances: the rest of the statistics is filled in by the registry.
  func statistics() -> LockStatistics {
    var statistics = LockStatistics(name: name, kind: kind)
    statistics.contentionsTotal = contentions.load(ordering: .relaxed)
    statistics.tryFailuresTotal = tryFailures.load(ordering: .relaxed)
    statistics.timeoutsTotal = timeouts.load(ordering: .relaxed)
    statistics.waitSecondsTotal = seconds(waitNanoseconds.load(ordering: .relaxed))
    statistics.waitSecondsMax = seconds(waitMax.load(ordering: .relaxed))
    statistics.holdSecondsMax = seconds(holdMax.load(ordering: .relaxed))
    statistics.waits = waits.snapshot(longest: statistics.waitSecondsMax)
    return statistics
  }
}

/// Nanoseconds as seconds. Divided, not multiplied by 1e-9, so that a whole microsecond prints as one.
func seconds<Count: BinaryInteger>(_ nanoseconds: Count) -> Double { Double(nanoseconds) / 1e9 }

extension Atomic where Value == Int64 {
  /// Makes the value at least `candidate`.
  fileprivate borrowing func raise(to candidate: Int64) {
    var current = load(ordering: .relaxed)
    while candidate > current {
      let (exchanged, original) = weakCompareExchange(
        expected: current, desired: candidate, ordering: .relaxed)
      if exchanged { return }
      current = original
    }
  }
}
