import CPlatform
import Synchronization

/// Moving estimates of how long a route's handler runs, and how much of that it spends on a processor, so that the pool knows
/// before it starts one whether another thread is worth waking first.
///
/// Written by every worker without a read-modify-write: an update that is lost to another one does no harm.
struct ServiceEstimate: ~Copyable, Sendable {
  /// Handlers that are expected to run longer are preceded by a promotion: well above the cost of waking a thread
  /// (some tens of microseconds), well below what a waiting client notices.
  static let longNanoseconds: Int64 = 300_000

  private let nanoseconds = Atomic<Int64>(0)
  // Until it is known a handler counts as one that computes: a pool that grows a little late does less harm than one that floods
  // the processors.
  private let processorPart = Atomic<Int64>(ServiceEstimate.whole)
  private static let whole: Int64 = 1024

  /// Whether the next run is expected to be long.
  var isLong: Bool { nanoseconds.load(ordering: .relaxed) > ServiceEstimate.longNanoseconds }

  /// Whether a run is expected to wait more than it computes.
  var isWaiting: Bool { processorPart.load(ordering: .relaxed) < ServiceEstimate.whole / 2 }

  /// Takes a run into account: an eighth of the difference, so that one odd run does not turn the estimate.
  func note(_ run: Int64) {
    let old = nanoseconds.load(ordering: .relaxed)
    nanoseconds.store(old &+ (run &- old) / 8, ordering: .relaxed)
  }

  /// Takes a run into account together with what it used: of that half of the difference, since it hardly varies.
  ///
  /// A run that never went to sleep computed all the time, however long it waited for a processor: it counts for what it used. Else
  /// a quick handler that was once kept from its processor would be taken for a slow one, on a busy machine again and again.
  func note(_ before: heddle_usage, _ after: heddle_usage, run: Int64) {
    let used = after.cpu_nanoseconds &- before.cpu_nanoseconds
    let hasSlept = after.sleeps != before.sleeps
    note(hasSlept ? run : min(run, used))
    let part =
      hasSlept ? min(ServiceEstimate.whole, used &* ServiceEstimate.whole / max(1, run)) : ServiceEstimate.whole
    let old = processorPart.load(ordering: .relaxed)
    processorPart.store(old &+ (part &- old) / 2, ordering: .relaxed)
  }
}
