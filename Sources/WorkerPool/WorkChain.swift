/// Items in order, chained through themselves. Owns one reference to each.
package struct WorkChain: ~Copyable, Sendable {
  private var first: Unmanaged<WorkItem>?
  private var last: Unmanaged<WorkItem>?

  /// How many items there are.
  package private(set) var count = 0

  /// An empty chain.
  package init() {}

  /// Whether there is none.
  package var isEmpty: Bool { count == 0 }

  /// Adds an item at the end and takes a reference to it.
  package mutating func append(_ item: WorkItem) { append(Unmanaged.passRetained(item)) }

  /// Adds an item at the end together with the reference that the caller owned.
  mutating func append(_ item: Unmanaged<WorkItem>) {
    item._withUnsafeGuaranteedRef { $0.nextInChain = nil }
    if let last {
      last._withUnsafeGuaranteedRef { $0.nextInChain = item }
    } else {
      first = item
    }
    last = item
    count += 1
  }

  /// The first item, left in place.
  var head: WorkItem? { first?.takeUnretainedValue() }

  /// Adds an item behind those that came no later than it, together with the reference that the caller owned. The chain is in the
  /// order in which its items came.
  mutating func insertByAge(_ item: Unmanaged<WorkItem>) {
    let moment = item._withUnsafeGuaranteedRef { $0.enqueuedAt }
    func isLater(_ other: Unmanaged<WorkItem>) -> Bool { other._withUnsafeGuaranteedRef { $0.enqueuedAt > moment } }
    guard let last, isLater(last) else { return append(item) }
    var before: Unmanaged<WorkItem>?
    var next = first
    while let candidate = next, !isLater(candidate) {
      before = candidate
      next = candidate._withUnsafeGuaranteedRef { $0.nextInChain }
    }
    item._withUnsafeGuaranteedRef { $0.nextInChain = next }
    if let before {
      before._withUnsafeGuaranteedRef { $0.nextInChain = item }
    } else {
      first = item
    }
    count += 1
  }

  /// Takes the first item off; its reference passes to the caller.
  package mutating func pop() -> WorkItem? { popUnmanaged()?.takeRetainedValue() }

  /// Takes the first item off, with its reference unmanaged.
  mutating func popUnmanaged() -> Unmanaged<WorkItem>? {
    guard let item = first else { return nil }
    first = item._withUnsafeGuaranteedRef { $0.nextInChain }
    if first == nil { last = nil }
    count -= 1
    return item
  }

  /// Moves the items whose result nobody waits for into another chain; the others keep their order.
  mutating func removeAllThatAreOver(into over: inout WorkChain) {
    var kept = WorkChain()
    while let item = popUnmanaged() {
      if item._withUnsafeGuaranteedRef({ $0.isOver }) { over.append(item) } else { kept.append(item) }
    }
    swap(&self, &kept)
  }

  deinit {
    var item = first
    while let this = item {
      item = this._withUnsafeGuaranteedRef { $0.nextInChain }
      this.release()
    }
  }
}
