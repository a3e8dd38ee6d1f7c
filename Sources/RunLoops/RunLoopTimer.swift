public import Locks
import Synchronization

/// Calls a handler on a run loop's thread at a given time, once or again and again.
///
/// A repeating timer keeps to its beat: its times are the first one plus whole intervals, however late a
/// handler was called. If the loop was busy over several of them, the handler is called once, and those that
/// were missed are skipped. Times are kept as exactly as the kernel can; there is no tolerance. In a run
/// nested inside its handler a timer does not fire. Belongs to one loop at a time, in any number of its
/// modes.
public final class RunLoopTimer: Sendable {
  /// When a timer fires first.
  private enum Start {
    case at(Int64)
    case after(Int64)
  }

  private let start: Start
  /// Nanoseconds; 0: once.
  let interval: Int64
  let handler: @Sendable (RunLoopTimer) -> Void
  let binding = ItemBinding()
  /// Nanoseconds of the loop's clock; `Int64.max`: not known yet, or it will not fire any more. Written on
  /// the loop's thread.
  private let next = Atomic<Int64>(.max)
  private let postponement = Atomic<Int64>(-1)

  /// Makes a timer that fires some time after it is first added to a loop. May be called from any thread.
  /// - Parameters:
  ///   - delay: not negative
  ///   - interval: more than zero; nil (the default): once
  ///   - handler: called on the loop's thread with the timer
  public init(
    after delay: Duration, every interval: Duration? = nil, handler: @escaping @Sendable (RunLoopTimer) -> Void
  ) {
    start = .after(max(delay.wholeNanoseconds, 0))
    self.interval = RunLoopTimer.checked(interval)
    self.handler = handler
  }

  /// Makes a timer that fires at a moment; at once if that has passed. May be called from any thread.
  /// - Parameters:
  ///   - deadline: when it fires first
  ///   - interval: more than zero; nil (the default): once
  ///   - handler: called on the loop's thread with the timer
  public init(
    fireAt deadline: Deadline, every interval: Duration? = nil,
    handler: @escaping @Sendable (RunLoopTimer) -> Void
  ) {
    start = .at(deadline.nanoseconds)
    self.interval = RunLoopTimer.checked(interval)
    self.handler = handler
  }

  private static func checked(_ interval: Duration?) -> Int64 {
    guard let interval else { return 0 }
    let nanoseconds = interval.wholeNanoseconds
    precondition(nanoseconds > 0, "A timer's interval must be at least a nanosecond")
    return nanoseconds
  }

  /// Stops the timer for good. On another thread than the loop's a call of the handler may still be under way
  /// when this returns, but none begins afterwards. May be called from any thread, also from the handler.
  public func invalidate() {
    if binding.invalidate() { binding.change { [self] in $0.detach(self) } }
  }

  /// Whether the timer may fire again: false after ``invalidate()`` and once a timer that fires once has. May
  /// be read from any thread.
  public var isValid: Bool { binding.isValid }

  /// When the timer fires next; ``Deadline/distantFuture`` before it was added to a loop, while its handler
  /// runs, and when it is no longer valid. May be read from any thread.
  public var nextFire: Deadline {
    isValid ? Deadline(nanoseconds: next.load(ordering: .relaxed)) : .distantFuture
  }

  // MARK: The loop's thread

  /// Says when a repeating timer fires next: so long from now, in nanoseconds, rather than on its beat, which goes on from
  /// there. To be called by its handler. (As `CFRunLoopTimerSetNextFireDate`.)
  package func postpone(nanoseconds: Int64) { postponement.store(max(0, nanoseconds), ordering: .relaxed) }

  /// What the handler has asked for, once; nil: nothing.
  private func takePostponement() -> Int64? {
    let asked = postponement.load(ordering: .relaxed)
    if asked < 0 { return nil }
    postponement.store(-1, ordering: .relaxed)
    return asked
  }

  /// The time to wait for, worked out when the timer is first added.
  func begin(now: Int64) -> Int64 {
    let known = next.load(ordering: .relaxed)
    if known != .max { return known }
    let first =
      switch start {
      case .at(let moment): moment
      case .after(let delay): sum(now, delay)
      }
    setNext(first)
    return first
  }

  func setNext(_ moment: Int64) { next.store(moment, ordering: .relaxed) }

  /// The first time after `now` on the beat that `fired` belongs to, or what the handler has asked for.
  func following(_ fired: Int64, now: Int64) -> Int64 {
    if let asked = takePostponement() { return sum(now, asked) }
    let next = sum(fired, interval)
    if next > now { return next }
    return sum(next, ((now - next) / interval + 1) * interval)
  }

  /// Far enough ahead is for ever.
  private func sum(_ moment: Int64, _ duration: Int64) -> Int64 {
    let (sum, overflow) = moment.addingReportingOverflow(duration)
    return overflow ? .max : sum
  }
}
