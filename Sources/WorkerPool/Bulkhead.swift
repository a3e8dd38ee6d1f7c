/// A cap on how many items of one kind run at once, so that a kind that has become slow takes a part of the workers and not all of
/// them. (Bulkhead: Nygard, Release It!, 2007.)
///
/// What comes while every slot is taken is held back here, in order, without a worker, and without keeping others waiting: it is not
/// among the items that a worker may take. A slot is taken when an item joins the queue and handed to the next one that is held
/// back when the item has run, or has left the queue without. So whatever is in the queue may run, and nobody is woken for what may not.
///
/// An item refers to its bulkhead without a reference of its own: whoever makes a bulkhead keeps it until the pool has ended.
package final class Bulkhead: @unchecked Sendable {
  // Unchecked: what can change is reached under the lock of the one pool whose items it caps, which gives exclusive access too.

  /// The most items that run at once.
  package let limit: Int

  /// The most items that may be held back; one more is refused. Nil: as many as the pool's queue takes.
  package let waitingLimit: Int?

  /// Slots that are taken: by items that run, and by items of the queue that may.
  @exclusivity(unchecked) private(set) var taken = 0

  /// Items that run.
  @exclusivity(unchecked) var running = 0

  /// Items that were refused because too many were held back.
  @exclusivity(unchecked) var refused: UInt64 = 0

  /// Items that are held back, in the order in which they came.
  @exclusivity(unchecked) var held = WorkChain()

  /// The place in ``WorkQueue``'s list of bulkheads that hold something back.
  @exclusivity(unchecked) var listIndex = -1

  /// A bulkhead with all its slots free.
  ///
  /// - Parameters:
  ///   - limit: the most items at once, at least 1
  ///   - waitingLimit: the most items that wait for a slot
  package init(limit: Int, waitingLimit: Int? = nil) {
    precondition(limit > 0, "a bulkhead without a slot would hold its items back for ever")
    self.limit = limit
    self.waitingLimit = waitingLimit
  }

  /// Whether one more item would have to be refused.
  var isFull: Bool {
    guard let waitingLimit, taken >= limit else { return false }
    return held.count >= waitingLimit
  }

  /// Takes a slot. False: there is none.
  func takeSlot() -> Bool {
    guard taken < limit else { return false }
    taken += 1
    return true
  }

  /// A slot that nobody else waits for is free.
  func freeSlot() {
    assert(taken > 0 && held.isEmpty, "a slot is given back twice, or somebody waits for it")
    taken -= 1
  }
}

/// A bulkhead as it was at one moment.
package struct BulkheadFigures: Sendable, Equatable {
  /// The most items at once, and the most that wait for a slot.
  package let limit: Int
  package let waitingLimit: Int?
  /// Items that run; that wait, for a slot or for a worker; that were refused because too many waited.
  package let running: Int
  package let waiting: Int
  package let refusedTotal: UInt64

  init(_ bulkhead: Bulkhead) {
    limit = bulkhead.limit
    waitingLimit = bulkhead.waitingLimit
    running = bulkhead.running
    waiting = bulkhead.held.count + bulkhead.taken - bulkhead.running
    refusedTotal = bulkhead.refused
  }
}
