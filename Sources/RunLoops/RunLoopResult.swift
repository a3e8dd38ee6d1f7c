/// Why a run of a run loop came to its end. May be used from any thread.
public enum RunLoopResult: Hashable, Sendable {
  /// The mode has no source, no timer and no driver, and no block is waiting to be performed.
  case finished
  /// ``ThreadRunLoop/stop()`` was called.
  case stopped
  /// The deadline has passed.
  case timedOut
  /// A source, a timer or a block was handled, and the caller wanted to come back after that.
  case handledSource
}

/// Why a run loop did not do what was asked of it. May be used from any thread.
public enum RunLoopError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The loop's thread has ended, before the request or before it came to it.
  case loopEnded

  /// One sentence for people.
  public var description: String {
    switch self {
    case .loopEnded: "The run loop has ended with its thread."
    }
  }
}
