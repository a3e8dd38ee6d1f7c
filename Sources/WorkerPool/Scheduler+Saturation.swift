/// Whether the pool has anybody left for one more item.
extension Scheduler {
  /// Everybody who may run a handler is in one, and the maximum is reached: what comes now waits.
  var isSaturated: Bool { outside <= openLanes && started + pending >= limits.maxThreads }

  /// Notes since when the pool is saturated. After each step that changed who is outside; the clock is read only when
  /// the answer changes.
  mutating func noteSaturation(_ now: () -> Int64) {
    if isSaturated {
      if saturatedSince == nil { saturatedSince = now() }
    } else if saturatedSince != nil {
      saturatedSince = nil
    }
  }
}
