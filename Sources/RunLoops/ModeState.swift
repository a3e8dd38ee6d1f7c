/// What one loop watches in one mode. The loop's thread only.
final class ModeState {
  let mode: RunLoopMode
  var isCommon = false
  private(set) var observers: [RunLoopObserver] = []
  @exclusivity(unchecked) private(set) var observed: RunLoopActivity = []
  // Looked at in every turn: see ThreadRunLoop.
  @exclusivity(unchecked) var timers = TimerHeap()
  var customSources: [ObjectIdentifier: CustomSource] = [:]
  /// Nil without descriptor sources: then the loop sleeps on its word.
  @exclusivity(unchecked) var descriptors: EpollSet?

  init(_ mode: RunLoopMode) { self.mode = mode }

  /// Whether there is neither a source nor a timer. Observers do not count: they cause nothing.
  var isEmpty: Bool { timers.isEmpty && customSources.isEmpty && descriptors?.isEmpty ?? true }

  /// Whether each turn has something to do here, apart from messages.
  var needsAttention: Bool { !timers.isEmpty || !observed.isDisjoint(with: [.beforeTimers, .beforeSources]) }

  func add(_ observer: RunLoopObserver) {
    if observers.contains(where: { $0 === observer }) { return }
    let place = observers.firstIndex { $0.order > observer.order } ?? observers.count
    observers.insert(observer, at: place)
    observed.formUnion(observer.activities)
  }

  func remove(_ observer: RunLoopObserver) {
    observers.removeAll { $0 === observer }
    observed = observers.reduce(into: []) { $0.formUnion($1.activities) }
  }
}
