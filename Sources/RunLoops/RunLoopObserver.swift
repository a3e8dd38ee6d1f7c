/// The stations of a run loop's turn. A value: may be used from any thread.
public struct RunLoopActivity: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt8

  /// Makes a set from its bits. May be called from any thread.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A run begins.
  public static let entry = RunLoopActivity(rawValue: 1)
  /// Timers are about to be looked at.
  public static let beforeTimers = RunLoopActivity(rawValue: 2)
  /// Blocks, custom sources and the driver are about to be looked at.
  public static let beforeSources = RunLoopActivity(rawValue: 4)
  /// The loop is about to sleep, if nothing comes in at the last moment.
  public static let beforeWaiting = RunLoopActivity(rawValue: 8)
  /// The loop has slept; follows each ``beforeWaiting``, even if there was no sleep.
  public static let afterWaiting = RunLoopActivity(rawValue: 16)
  /// A run ends.
  public static let exit = RunLoopActivity(rawValue: 32)
  /// All of them.
  public static let all = RunLoopActivity(rawValue: 63)
}

/// Is told when a run loop comes to certain stations of its turn.
///
/// In a worker's loop an observer of ``RunLoopActivity/beforeWaiting`` runs when the worker counts as idle
/// already and may be called for work: it should be brief. Belongs to one loop at a time, in any number of
/// its modes.
public final class RunLoopObserver: Sendable {
  /// What it is told of. May be read from any thread.
  public let activities: RunLoopActivity

  /// Its place: lower numbers are told first, those of one number in the order in which they were added. May
  /// be read from any thread.
  public let order: Int

  /// Whether it is told more than once. May be read from any thread.
  public let repeats: Bool
  let handler: @Sendable (RunLoopActivity) -> Void
  let binding = ItemBinding()

  /// Makes an observer; add it to a loop with ``ThreadRunLoop/add(_:to:)``. May be called from any thread.
  /// - Parameters:
  ///   - activities: what it is told of
  ///   - order: its place among the others; default 0
  ///   - repeats: false: it becomes invalid when it is told for the first time; default true
  ///   - handler: called on the loop's thread with the one activity
  public init(
    _ activities: RunLoopActivity, order: Int = 0, repeats: Bool = true,
    handler: @escaping @Sendable (RunLoopActivity) -> Void
  ) {
    self.activities = activities
    self.order = order
    self.repeats = repeats
    self.handler = handler
  }

  /// Removes the observer from its loop for good. May be called from any thread, also from the handler.
  public func invalidate() {
    if binding.invalidate() { binding.change { [self] in $0.detach(self) } }
  }

  /// Whether it may be told again. May be read from any thread.
  public var isValid: Bool { binding.isValid }
}
