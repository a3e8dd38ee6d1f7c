package import RunLoops

/// How a worker pool is sized, and what it refuses.
///
/// A value: change it before the pool starts. Three of the settings can be changed later through ``PoolLimits``.
public struct PoolConfiguration: Sendable {
  /// The limits that hold from the start.
  public var limits: PoolLimits

  /// The most items that may wait for a worker; one more is refused. Default 1024.
  public var queueLimit = 1024

  /// How long an item may wait for a worker; one that waits longer is refused. Default 10 s; zero: for ever.
  public var queueDeadline = Duration.seconds(10)

  /// Bytes of stack of each worker. Default 512 KiB.
  public var stackSize = 512 * 1024

  /// The prefix of the workers' names: `worker-1`, `worker-2`, … At most 8 bytes are of use,
  /// since the kernel keeps 15 of the whole name.
  public var namePrefix = "worker"

  /// How many pool events are kept for reading. Default 4096.
  public var eventCapacity = 4096

  /// How many handlers that compute are worth running at once. Default: the processors that the process may use.
  package var cores = PoolLimits.cores

  /// How long the monitor waits between two looks at the pool while there is something to look after,
  /// in nanoseconds. Default 1 ms.
  package var tickNanoseconds: Int64 = 1_000_000

  /// How many ticks in a row must find nothing to look after before the monitor sleeps. Default 10:
  /// a busy pool then pays for a timer, not for a wake-up of the monitor at every request.
  package var quietTicks = 10

  /// Called before each thread is made, on the thread that makes it, with the new one's name; an error counts as the
  /// system's refusal. For tests. Default nil.
  package var willMakeThread: (@Sendable (_ name: String) -> ThreadError?)?

  /// A configuration with the given limits and everything else at its default.
  public init(limits: PoolLimits = PoolLimits()) {
    self.limits = limits
  }
}

/// How many threads a pool keeps, how many it may have, and how long an idle one above the minimum lives.
public struct PoolLimits: Sendable, Equatable {
  /// Threads that are kept when there is nothing to do. Default: the number of cores, at least 2.
  public var minThreads: Int

  /// The most threads. Default 64, or the minimum where that is more.
  public var maxThreads: Int

  /// How long a thread above the minimum stays idle before it ends. Default 30 s.
  public var idleTimeout: Duration

  /// Limits; what is left out has its default.
  public init(minThreads: Int? = nil, maxThreads: Int? = nil, idleTimeout: Duration = .seconds(30)) {
    let least = minThreads ?? max(2, min(PoolLimits.cores, maxThreads ?? .max))
    self.minThreads = least
    self.maxThreads = maxThreads ?? max(64, least)
    self.idleTimeout = idleTimeout
  }

  /// Why these limits cannot serve a pool with so many lanes, or nil if they can.
  ///
  /// A pool needs one thread more than it has lanes: while each lane is led, one more must be left to work.
  public func problem(lanes: Int) -> String? {
    if minThreads < lanes + 1 {
      return "minThreads is \(minThreads), but must be at least \(lanes + 1): one more than the lanes (\(lanes))"
    }
    if maxThreads < minThreads {
      return "maxThreads is \(maxThreads), but must be at least minThreads (\(minThreads))"
    }
    if maxThreads > PoolLimits.most {
      return "maxThreads is \(maxThreads), but may be at most \(PoolLimits.most)"
    }
    if idleTimeout < .milliseconds(10) {
      return "idleTimeout is \(idleTimeout), but must be at least 10 ms"
    }
    return nil
  }

  /// The most threads that any pool may be given: enough for handlers that wait, and far below what Linux refuses.
  public static let most = 10_000
}
