/// A thread of the pool as its scheduler sees it: something that can be told to wake up.
protocol Parkable: AnyObject, Sendable {
  /// What a wake-up still owes once the pool's lock is released.
  associatedtype Debt: Sendable
  /// Marks the caller's own loop as parked. False: a message is waiting for it, it must not park.
  func prepareToPark() -> Bool
  /// Marks a parked member as called. Under the pool's lock, in one step with taking it off the stack.
  func deliverToken() -> Debt
}

/// Every scheduling decision of the pool. A value under one lock, the pool's (`P`): see docs/threading.md.
///
/// No method makes a system call or runs foreign code: what is to be done outside is collected in ``Debts``
/// and paid after the lock is released, before any handler is entered.
struct Scheduler<Member: Parkable>: ~Copyable, Sendable {
  /// Where a member comes from when it asks what to do next.
  enum Origin {
    /// A thread that has just started.
    case birth
    /// A handler has returned, or messages of its run loop were handled.
    case handler
    /// Called while it was parked.
    case token
    /// A closed lane, or a run loop that had a message but nothing to run.
    case elsewhere
  }

  /// What a member is to do next.
  enum Decision: Sendable {
    case run(WorkItem)
    case lead(Int)
    /// Parked; ends when idle so long, or never.
    case park(mayEnd: Bool)
    /// A message came: let the run loop handle it, then ask again.
    case handleMessages
    case end(EndReason)
  }

  /// Why a thread is made.
  enum SpawnReason: String, Sendable {
    /// The pool starts.
    case start
    /// Work waits, and a processor is free, or nobody is left to lead.
    case demand
    /// Work has waited for long although enough handlers run.
    case injected
    /// There are fewer than the minimum.
    case minimum
  }

  /// What was decided under the lock and is to be done after it.
  struct Debts: Sendable {
    /// A parked member to wake.
    var wake: Member.Debt?
    /// More of them: at the end of a pool only.
    var moreWakes: [Member.Debt] = []
    /// A thread to make, and why.
    var spawn: SpawnReason?
    /// The monitor's tick is to be scheduled.
    var tick = false
    /// Whether there is anything. Most steps of a busy pool owe nothing.
    var areOwed: Bool { wake != nil || spawn != nil || tick || !moreWakes.isEmpty }
  }

  enum Leadership { case vacant, held, closed }

  struct LaneSlot {
    var state = Leadership.held
    /// The vacancy has outlived one tick.
    var seen = false
    /// Lead before you work.
    var due = false
  }

  /// Minimum, maximum, idle time.
  var limits: PoolLimits
  /// The most items that may wait.
  let queueLimit: Int
  /// How many handlers that use a processor are worth running at once.
  let cores: Int
  /// See ``PoolConfiguration/quietTicks``.
  let quietTicksNeeded: Int

  /// Items that wait for a worker, or are held back by their bulkheads until they may.
  var queue = WorkQueue()
  /// Threads that have started and not ended.
  var started = 0
  /// Threads that are being made.
  var pending = 0
  /// Started threads that are not inside a handler, nor handle messages of their run loops.
  var outside = 0
  /// Called or newly made threads that have not asked for work yet.
  var waking = 0
  /// Members that wait, the hottest last.
  var parked: [Member] = []
  /// Lanes that are not closed.
  var openLanes = 0
  /// The monitor ticks, or is about to.
  var isArmed = false
  /// No more work is to come: threads end when all lanes are closed and the queue is empty.
  var isClosing = false

  /// Figures that are read in snapshots: the most threads at once, …
  var peak = 0
  /// … the most items that waited at once, …
  var queuePeak = 0
  /// … items that found the queue full, …
  var rejected: UInt64 = 0
  /// … items that found too many of their own kind waiting, …
  var rejectedByBulkheads: UInt64 = 0
  /// … items that waited too long, …
  var expired: UInt64 = 0
  /// … items that were shed, …
  var shed: UInt64 = 0
  /// … when the last thread that could run handlers went into one, and nobody may be added (nil: somebody is left), …
  var saturatedSince: Int64?
  /// … and threads that ended, by reason.
  var ended = EndCounts()

  // The rest is for this type's own extensions.
  var lanes: [LaneSlot]
  var vacantLanes = 0
  /// One for each line of the queue, as fq_codel keeps one for each flow (RFC 8290): a line that stands is no reason to shed from
  /// another one. Empty: nothing is shed.
  var control: [CoDel]
  /// Items that found the queue full since it was last swept of those that nobody waits for, …
  var refusedSinceSweep = 0
  /// … and whether a tick has passed since. See ``Scheduler/makeRoom(_:)``.
  var maySweep = true
  /// The queue's head has outlived one tick.
  var headSeen = false
  var quietTicks = 0
  /// Whether something waited at the last tick.
  var isPressed = false
  /// Threads inside handlers that wait for something, as the monitor saw them last.
  var waiting = 0
  /// Ticks that the queue's head has waited while enough handlers ran.
  var headTicks = 0
  /// Ticks that it may wait so before one more thread comes up all the same: see ``Scheduler/injectIfDue(_:)``.
  var injectionTicks = 2
  /// Threads that could not be made since one last could.
  var failuresInARow = 0
  /// Ticks to wait before another thread is made, after one could not be made.
  var spawnBackoff = 0

  init(
    limits: PoolLimits, queueLimit: Int, lanes: Int, quietTicks: Int, cores: Int = .max, control: CoDel? = nil
  ) {
    self.limits = limits
    self.queueLimit = queueLimit
    self.cores = cores
    self.quietTicksNeeded = quietTicks
    self.control = control.map { Array(repeating: $0, count: WorkPriority.allCases.count) } ?? []
    self.lanes = Array(repeating: LaneSlot(state: .vacant), count: lanes)
    self.vacantLanes = lanes
    self.openLanes = lanes
    parked.reserveCapacity(limits.maxThreads)
  }
}
