import Synchronization

/// The figures of one loop: written by its thread alone, so with loads and stores; read by any.
final class LoopCounters: Sendable {
  private let iterations = Atomic<UInt64>(0)
  private let waits = Atomic<UInt64>(0)
  private let busy = Atomic<Int64>(0)
  private let waiting = Atomic<Int64>(0)
  /// When the present wait began, 0 when there is none.
  private let waitingSince = Atomic<Int64>(0)
  /// When the present stretch of work began, 0 outside of a run. The loop's thread only, but atomics cost the
  /// same.
  private let busySince = Atomic<Int64>(0)

  var iterationsTotal: UInt64 { iterations.load(ordering: .relaxed) }

  @inline(__always) func countIteration() {
    iterations.store(iterations.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// A run begins that is not nested in another.
  func beginRun(at now: Int64) { busySince.store(now, ordering: .relaxed) }

  func endRun(at now: Int64) {
    countBusy(until: now)
    busySince.store(0, ordering: .relaxed)
  }

  func beginWait(at now: Int64) {
    countBusy(until: now)
    waits.store(waits.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    waitingSince.store(now, ordering: .relaxed)
  }

  func endWait(at now: Int64) {
    let start = waitingSince.load(ordering: .relaxed)
    waiting.store(waiting.load(ordering: .relaxed) &+ max(now - start, 0), ordering: .relaxed)
    waitingSince.store(0, ordering: .relaxed)
    busySince.store(now, ordering: .relaxed)
  }

  private func countBusy(until now: Int64) {
    let start = busySince.load(ordering: .relaxed)
    busy.store(busy.load(ordering: .relaxed) &+ max(now - start, 0), ordering: .relaxed)
  }

  var isWaiting: Bool { waitingSince.load(ordering: .relaxed) != 0 }

  func snapshot() -> RunLoopStatistics {
    let since = waitingSince.load(ordering: .relaxed)
    return RunLoopStatistics(
      iterationsTotal: iterations.load(ordering: .relaxed), waitsTotal: waits.load(ordering: .relaxed),
      busyNanoseconds: busy.load(ordering: .relaxed), waitNanoseconds: waiting.load(ordering: .relaxed),
      waitingSince: since == 0 ? nil : since)
  }
}

/// How much a run loop has turned, worked and waited. A value: may be used from any thread.
///
/// The figures are read one by one while the loop goes on, so they may be apart by a turn.
public struct RunLoopStatistics: Hashable, Sendable {
  /// Turns since the loop was made.
  public let iterationsTotal: UInt64
  /// Turns in which the loop slept, or would have if nothing had come in at the last moment.
  public let waitsTotal: UInt64
  /// Time in runs between waits, in nanoseconds; the stretch of work that lasts now is not in it.
  public let busyNanoseconds: Int64
  /// Time in waits, in nanoseconds; the wait that lasts now is not in it.
  public let waitNanoseconds: Int64
  /// When the wait that lasts now began, in nanoseconds of `CLOCK_MONOTONIC`; nil if the loop does not wait.
  public let waitingSince: Int64?
}
