/// Something that a worker runs: a base class, so that a queue of items is a chain through the items
/// themselves and costs no allocation.
///
/// Open only because Swift has no word for "open within the package"; an application does not see this module.
///
/// An item is in one queue and in one inbox at most; whoever holds it there owns one reference.
open class WorkItem: @unchecked Sendable {
  // Unchecked: at any time one party owns an item (the chain it is in, or the worker that runs it); it is handed on under a
  // lock or by an atomic with release and acquire. So exclusive access is not checked at run time either.

  /// The next item of the queue or chain. Belongs to whoever holds the chain; in the pool's queue, to the pool's lock.
  @exclusivity(unchecked) final var nextInChain: Unmanaged<WorkItem>?

  /// The next message of a lane's inbox. Written by the one who pushes, before the push; read by the leader after it took the list.
  @exclusivity(unchecked) package final var nextInInbox: Unmanaged<WorkItem>?

  /// Whether the item is expected to run longer than a wake-up of another thread is worth.
  @exclusivity(unchecked) final var isExpectedLong = false

  /// Whether a long item is expected to wait for something rather than to use a processor: one that waits costs nobody else
  /// anything, so another may run beside it at once.
  @exclusivity(unchecked) final var isExpectedToWait = false

  /// When the item became runnable: CLOCK_MONOTONIC, nanoseconds.
  @exclusivity(unchecked) final var enqueuedAt: Int64 = 0

  /// How soon it is to run, compared with others.
  @exclusivity(unchecked) final var priority = WorkPriority.normal

  /// What caps how many items of its kind run at once; nil: nothing does. Not counted: see ``Bulkhead``.
  @exclusivity(unchecked) final var bulkhead: Unmanaged<Bulkhead>?

  /// Why the item came back from the pool. Written under the pool's lock, read by whoever got it back.
  @exclusivity(unchecked) final var refusal = RefusalCause.queueFull

  /// The item is runnable from a moment on. By whoever is about to put it into a chain.
  package final func becomeRunnable(
    at now: Int64, isExpectedLong: Bool, isExpectedToWait: Bool, priority: WorkPriority = .normal,
    bulkhead: Unmanaged<Bulkhead>? = nil
  ) {
    enqueuedAt = now
    self.isExpectedLong = isExpectedLong
    self.isExpectedToWait = isExpectedToWait
    self.priority = priority
    self.bulkhead = bulkhead
  }

  // For other modules, whose direct reads of the stored properties would be checked for exclusive access.

  /// See ``enqueuedAt``.
  package final var runnableSince: Int64 { enqueuedAt }
  /// See ``isExpectedLong``.
  package final var mayTakeLong: Bool { isExpectedLong }
  /// See ``refusal``.
  package final var refusalCause: RefusalCause { refusal }

  /// Made by subclasses.
  package init() {}

  /// Runs the item on a worker's thread, and returns when that ended (CLOCK_MONOTONIC, nanoseconds), so that
  /// nobody need read the clock again. Must not throw: what goes wrong inside is the item's own affair.
  open func run(on worker: Worker) -> Int64 { worker.clock }

  /// The item has waited longer than the pool's queue deadline and is not run. On the monitor's thread.
  open func expireInQueue() {}

  /// The pool is overloaded, the item has waited, and it is not run. On the monitor's thread.
  open func shedFromQueue() { expireInQueue() }

  /// Whether nobody waits for the item's result any more, so that it need not keep its place in a full queue. Any thread, under the
  /// pool's lock: a look at most.
  open var isOver: Bool { false }
}

/// Why a pool gave an item back without having run it.
package enum RefusalCause: Sendable {
  /// As many items as may wait did.
  case queueFull
  /// As many items of its kind as may wait did.
  case bulkheadFull
  /// Nobody waits for it any more: its place was wanted.
  case over
}
