import CPlatform

/// Where a run loop reads the time: the system's monotonic clock, or one that a test moves by hand.
package protocol RunLoopClock: Sendable {
  /// Nanoseconds, never less than at an earlier call.
  func now() -> Int64
}

/// `CLOCK_MONOTONIC`.
package struct MonotonicClock: RunLoopClock {
  package init() {}

  package func now() -> Int64 { heddle_now() }
}
