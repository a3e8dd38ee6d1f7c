/// The name of a set of sources, timers and observers that a run loop watches together.
///
/// A loop runs in one mode at a time and pays attention to what was added to that mode only. The idea is that
/// of Core Foundation's run loops. A value: may be used from any thread.
public struct RunLoopMode: Hashable, Sendable, CustomStringConvertible {
  /// The name. Two modes of one name are the same mode.
  public let name: String

  /// Makes a mode of one's own. A loop learns of it at first use. May be called from any thread.
  public init(_ name: String) { self.name = name }

  /// The usual mode.
  public static let `default` = RunLoopMode("default")

  /// Stands for all the common modes of a loop: what is added to it is in every one of them, those of later
  /// too. A loop cannot run in it. Which modes are common is the loop's own affair: ``default`` is, and those
  /// given to ``ThreadRunLoop/addCommonMode(_:)``.
  public static let common = RunLoopMode("common")

  /// The name.
  public var description: String { name }
}
