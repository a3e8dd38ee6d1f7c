import Locks
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

  /// How long an item may wait while the pool is overloaded: if, over ``shedInterval``, the item that has waited longest has at every
  /// look waited longer, some of those that have waited are refused so that others are served in time. Default zero: off, since a load
  /// that blocks queues by design. From 1 ms; 5 ms suits handlers of a few milliseconds.
  ///
  /// Each priority is looked at by itself. See RFC 8289.
  public var shedTarget = Duration.zero

  /// For how long items must have waited too long before any is shed; and the longest that one waits from then on. Default 100 ms: some
  /// times what serving a client takes. At least ``shedTarget``.
  public var shedInterval = Duration.milliseconds(100)

  /// Bytes of stack of each worker. Default 512 KiB.
  public var stackSize = 512 * 1024

  /// The prefix of the workers' names: `worker-1`, `worker-2`, … At most 8 bytes are of use,
  /// since the kernel keeps 15 of the whole name.
  public var namePrefix = "worker"

  /// How many pool events are kept for reading. Default 4096.
  public var eventCapacity = 4096

  /// How many handlers that compute are worth running at once. Default: the processors that the process may use.
  package var cores = PoolLimits.cores

  /// How long the monitor waits between two looks at the pool while something waits for it, in nanoseconds: a lane without a
  /// leader, work in the queue, too few threads. Default 1 ms.
  package var tickNanoseconds: Int64 = 1_000_000

  /// How many times as long it waits while the pool is busy and nothing waits. Default 4: a tick costs as much as a request, and a thousand
  /// a second were 2 % of a busy server's processor time. A handler that blocks unexpectedly is then noticed after up to 5 ms in place of 2.
  package var calmTicks: Int64 = 4

  /// How many ticks in a row must find that nothing waits before the monitor sleeps. Default 10:
  /// a busy pool then pays for a timer, not for a wake-up of the monitor at every request.
  package var quietTicks = 10

  /// The least time between two samples of what the pool achieves, in nanoseconds: see ``EventRing``. Default 1 s.
  package var sampleNanoseconds: Int64 = 1_000_000_000

  /// Called before each thread is made, on the thread that makes it, with the new one's name; an error counts as the
  /// system's refusal. For tests. Default nil.
  package var willMakeThread: (@Sendable (_ name: String) -> ThreadError?)?

  /// A configuration with the given limits and everything else at its default.
  public init(limits: PoolLimits = PoolLimits()) {
    self.limits = limits
  }

  /// Why a pool with so many lanes cannot be set so, or nil if it can.
  public func problem(lanes: Int) -> String? {
    if let problem = limits.problem(lanes: lanes) { return problem }
    if queueLimit < 1 { return "queueLimit is \(queueLimit), but must be at least 1" }
    if queueDeadline < .zero { return "queueDeadline is \(queueDeadline), but must not be negative" }
    if shedTarget != .zero {
      if shedTarget < .milliseconds(1) { return "shedTarget is \(shedTarget), but must be 0 (off) or at least 1 ms" }
      if shedInterval < shedTarget {
        return "shedInterval is \(shedInterval), but must be at least shedTarget (\(shedTarget))"
      }
    }
    return nil
  }

  /// What decides about shedding; nil: nothing is shed.
  var control: CoDel? {
    shedTarget > .zero ? CoDel(target: shedTarget.limitNanoseconds, interval: shedInterval.limitNanoseconds) : nil
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
