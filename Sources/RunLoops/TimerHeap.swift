/// The timers of one mode, soonest first: a binary heap. Those of one time stand in the order in which they
/// were put in.
struct TimerHeap {
  struct Entry {
    /// When to fire; `Int64.max` while the timer's handler runs.
    var fireAt: Int64
    /// Ascending over all heaps of a loop.
    var sequence: UInt64
    let timer: RunLoopTimer

    func precedes(_ other: Entry) -> Bool {
      (fireAt, sequence) < (other.fireAt, other.sequence)
    }
  }

  private(set) var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  var first: Entry? { entries.first }

  func contains(_ timer: RunLoopTimer) -> Bool { index(of: timer) != nil }

  mutating func insert(_ timer: RunLoopTimer, fireAt: Int64, sequence: UInt64) {
    entries.append(Entry(fireAt: fireAt, sequence: sequence, timer: timer))
    siftUp(entries.count - 1)
  }

  /// Moves a timer to another time, if it is here.
  mutating func move(_ timer: RunLoopTimer, to fireAt: Int64, sequence: UInt64) {
    guard let index = index(of: timer) else { return }
    entries[index].fireAt = fireAt
    entries[index].sequence = sequence
    siftUp(index)
    siftDown(index)
  }

  /// Takes a timer out; false if it is not here.
  @discardableResult mutating func remove(_ timer: RunLoopTimer) -> Bool {
    guard let index = index(of: timer) else { return false }
    entries.swapAt(index, entries.count - 1)
    entries.removeLast()
    if index < entries.count {
      siftUp(index)
      siftDown(index)
    }
    return true
  }

  /// The one that fires is at the top, so this ends at once in the usual case.
  private func index(of timer: RunLoopTimer) -> Int? { entries.firstIndex { $0.timer === timer } }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      if !entries[child].precedes(entries[parent]) { return }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func siftDown(_ start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
        if entries[child].precedes(entries[least]) { least = child }
      }
      if least == parent { return }
      entries.swapAt(parent, least)
      parent = least
    }
  }
}
