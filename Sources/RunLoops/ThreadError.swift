/// Why a thread could not be started.
///
/// A value: may be used from any thread.
public struct ThreadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong. May get more cases: a `switch` over it needs a `default`.
  public enum Code: Hashable, Sendable {
    /// The system has no more threads or memory to give now (`errno` of `pthread_create`): trying later may
    /// help.
    case resourcesExhausted(errno: Int32)
    /// The stack size is below the least that the system accepts, or beyond what it can count. Both in bytes.
    case badStackSize(bytes: Int, minimum: Int)
    /// The size of the guard area is negative or beyond what the system can count. In bytes.
    case badGuardSize(bytes: Int)
    /// The nice value is not within -20 ... 19.
    case badNiceness(Int)
  }

  /// What was wrong.
  public let code: Code

  /// The name of the thread that was to be started.
  public let threadName: String

  /// One sentence for people.
  public var description: String {
    switch code {
    case .resourcesExhausted(let errno):
      "\(beginning) the system has no more threads or memory to give (error \(errno))."
    case .badStackSize(let bytes, let minimum):
      "\(beginning) its stack of \(bytes) bytes is not within \(minimum) bytes and 1 TiB."
    case .badGuardSize(let bytes):
      "\(beginning) its guard of \(bytes) bytes is not within 0 bytes and 1 GiB."
    case .badNiceness(let niceness):
      "\(beginning) its nice value \(niceness) is not within -20 and 19."
    }
  }

  private var beginning: String { "Thread \"\(threadName)\" could not be started:" }
}
