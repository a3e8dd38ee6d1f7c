import Synchronization

/// A moving estimate of how long a route's handler runs, so that the pool knows before it starts one whether another thread
/// is worth waking first.
///
/// Written by every worker without a read-modify-write: an update that is lost to another one does no harm.
struct ServiceEstimate: ~Copyable, Sendable {
  /// Handlers that are expected to run longer are preceded by a promotion: well above the cost of waking a thread
  /// (some tens of microseconds), well below what a waiting client notices.
  static let longNanoseconds: Int64 = 300_000

  private let nanoseconds = Atomic<Int64>(0)

  /// Whether the next run is expected to be long.
  var isLong: Bool { nanoseconds.load(ordering: .relaxed) > ServiceEstimate.longNanoseconds }

  /// Takes a run into account: an eighth of the difference, so that one odd run does not turn the estimate.
  func note(_ run: Int64) {
    let old = nanoseconds.load(ordering: .relaxed)
    nanoseconds.store(old &+ (run &- old) / 8, ordering: .relaxed)
  }
}
