/// A block to be run on a loop's thread.
struct Perform: Sendable {
  let modes: [RunLoopMode]
  let body: @Sendable () -> Void
  /// Called instead of `body` if the loop ends first.
  let onLoopEnd: (@Sendable () -> Void)?
  /// Its place among all blocks of the loop; given by the loop's thread as it takes the block out of the
  /// mailbox.
  var sequence: UInt64 = 0
}

/// Blocks in their order, the first taken without moving the others.
struct PerformQueue {
  private var items: [Perform?] = []
  private var head = 0

  var isEmpty: Bool { head == items.count }

  var lastSequence: UInt64? { items.last??.sequence }

  mutating func append(_ item: Perform) { items.append(item) }

  /// Takes the first block, unless its place is behind `bound`.
  mutating func popFirst(through bound: UInt64) -> Perform? {
    guard head < items.count, let item = items[head], item.sequence <= bound else { return nil }
    items[head] = nil
    head += 1
    if head == items.count {
      items.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 1024, head * 2 >= items.count {
      items.removeFirst(head)
      head = 0
    }
    return item
  }

  mutating func removeAll() -> [Perform] {
    let left = items[head...].compactMap(\.self)
    items = []
    head = 0
    return left
  }
}
