import CPlatform

/// A moment on the monotonic clock, up to which somebody is willing to wait.
///
/// It counts nanoseconds of `CLOCK_MONOTONIC`, which no change of the wall clock moves and which stands still while the
/// machine is suspended. A value type: may be used from any thread.
public struct Deadline: InstantProtocol, Sendable {
  /// Nanoseconds of `CLOCK_MONOTONIC`. `Int64.max` stands for "never".
  public let nanoseconds: Int64

  /// Makes a deadline from a reading of the clock. May be called from any thread.
  /// - Parameter nanoseconds: nanoseconds of `CLOCK_MONOTONIC`
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The present moment: one reading of the clock, about 30 ns. May be called from any thread.
  public static func now() -> Deadline { Deadline(nanoseconds: heddle_now()) }

  /// The moment that is `duration` from now; ``distantFuture`` where that is beyond what 64 bits can count (292 years).
  /// May be called from any thread.
  /// - Parameter duration: how far ahead; a negative one gives a moment in the past
  public static func after(_ duration: Duration) -> Deadline { now().advanced(by: duration) }

  /// A deadline that never comes: who waits for it waits for ever.
  public static let distantFuture = Deadline(nanoseconds: .max)

  /// A deadline that has passed already: who waits for it does not wait at all.
  public static let distantPast = Deadline(nanoseconds: .min)

  /// Whether the moment has passed. Reads the clock. May be called from any thread.
  public var hasPassed: Bool { self != .distantFuture && heddle_now() >= nanoseconds }

  /// This moment moved by a duration. ``distantFuture`` and ``distantPast`` stay what they are, and what would overflow
  /// becomes one of them. May be called from any thread.
  public func advanced(by duration: Duration) -> Deadline {
    if self == .distantFuture || self == .distantPast { return self }
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
    if overflow { return duration < .zero ? .distantPast : .distantFuture }
    return Deadline(nanoseconds: sum)
  }

  /// The time from this moment to another, negative if the other is earlier. May be called from any thread.
  public func duration(to other: Deadline) -> Duration {
    let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    return .nanoseconds(overflow ? (other < self ? Int64.min : Int64.max) : difference)
  }

  /// Orders by time. May be called from any thread.
  public static func < (left: Deadline, right: Deadline) -> Bool { left.nanoseconds < right.nanoseconds }
}

extension Duration {
  /// The duration in nanoseconds, what is finer cut off; at the ends of `Int64` where it does not fit.
  package var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowOfSum) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    if overflow || overflowOfSum { return seconds < 0 ? .min : .max }
    return sum
  }

  /// The same for a time limit: ten years at most, which is as good as for ever, so that a reading of the clock and some such limits
  /// can be added up.
  package var limitNanoseconds: Int64 { min(wholeNanoseconds, 10 * 365 * 86_400 * 1_000_000_000) }
}
