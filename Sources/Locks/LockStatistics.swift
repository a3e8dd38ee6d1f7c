/// The figures of all locks of one name and kind, as they were at one moment. Totals count since the process began and
/// include locks that are gone.
package struct LockStatistics: Sendable {
  package let name: String
  package let kind: LockKind
  /// Locks of this name that exist now.
  package var instances = 0
  /// How often one was taken; for a condition, how many waits have ended.
  package var acquisitionsTotal: UInt64 = 0
  /// How often a thread found the lock held and had to wait. Always 0 for a condition.
  package var contentionsTotal: UInt64 = 0
  /// How often `tryLock` found the lock held.
  package var tryFailuresTotal: UInt64 = 0
  /// How often a wait, for a lock or in a condition, ended at its deadline.
  package var timeoutsTotal: UInt64 = 0
  /// How long these threads waited, together and at most. A wait is added when the lock that it was for is released again,
  /// or when it timed out. Always 0 for a condition, where to wait is not to be held up.
  package var waitSecondsTotal = 0.0
  package var waitSecondsMax = 0.0
  /// The same waits, by length.
  package var waits = WaitHistogram()
  /// The longest hold that was measured: one acquisition in 128 is, those that came
  /// after a sleep are, and those of 20 ms and more that somebody waited for.
  package var holdSecondsMax = 0.0
  /// Who holds it, if somebody does. Of several that are held, the one with waiters, then the one held longest.
  package var owner: LockOwner?
  /// The names of the threads that wait now.
  package var waiters: [String] = []
  /// How many threads wait now.
  package var waitersNow: Int { waiters.count }

  init(name: String, kind: LockKind) {
    self.name = name
    self.kind = kind
  }
}

/// The thread that holds a lock.
package struct LockOwner: Sendable, Equatable {
  package let tid: Int32
  package let name: String
  /// For how long; nil if it took the lock without reading the clock and nobody waits. If somebody waits, at least the
  /// time since the first of them came.
  package let heldForSeconds: Double?
}
