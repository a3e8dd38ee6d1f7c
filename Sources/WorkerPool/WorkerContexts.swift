import Locks

/// What workers keep for the pool's user, one each. A worker that ends leaves its context to a later one, so that figures kept
/// in it are never lost and need not be added up anywhere; there are as many as there ever were workers at once.
///
/// The hand-over is made under a lock, so that a context has one writer at a time.
final class WorkerContexts: Sendable {
  // Any object: it is reached on its worker's thread alone, and handed on under the lock below.
  private struct Kept: @unchecked Sendable { let object: AnyObject }

  private struct State: Sendable {
    var all: [Kept] = []
    var free: [Kept] = []
  }

  private let state = Locked("pool.contexts", State())
  private let make: @Sendable () -> AnyObject?

  init(make: @escaping @Sendable () -> AnyObject?) { self.make = make }

  /// A context for a new worker, used before or new.
  func take() -> AnyObject? {
    if let used = state.withLock({ $0.free.popLast() }) { return used.object }
    guard let new = make().map(Kept.init) else { return nil }
    state.withLock { $0.all.append(new) }
    return new.object
  }

  /// The context of a worker that ends.
  func giveBack(_ context: AnyObject) {
    let kept = Kept(object: context)
    state.withLock { $0.free.append(kept) }
  }

  /// Every context that there is.
  var all: [AnyObject] { state.withLock { $0.all }.map(\.object) }
}
