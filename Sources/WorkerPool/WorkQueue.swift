/// The items that wait for a worker: a line for each priority, and what bulkheads hold back. Under the pool's lock.
///
/// **Sharing.** The lines share by weight, as self-clocked fair queueing does (Golestani, INFOCOM 1994): an item at the head of its
/// line is due one stride (16 divided by the weight) after the moment at which its line's last item was taken, or at which it came if
/// the line was empty; the queue's time is when the item taken last was due; what is due first is taken, and of equals the one of the
/// lower priority. So at most 16 items of high and 4 of normal priority are taken while an item at the head of the low line waits,
/// whatever the others do, and an item of high priority waits for two others at most. Where one line alone is used, nothing is compared.
///
/// **Bulkheads.** An item whose bulkhead has no slot is held back in the bulkhead (``Bulkhead``). With a slot it joins its line at the place
/// that it came for: it goes before what came later.
struct WorkQueue: ~Copyable, @unchecked Sendable {
  // Unchecked: the memory of the lines is this value's alone.

  private struct Line: ~Copyable, Sendable {
    /// Items in the order in which they came.
    var arrived = WorkChain()
    /// Items that were held back and have a slot now, in the order in which they came.
    var released = WorkChain()
    /// When the line's head is due.
    var due: UInt64 = 0
    /// Items of this priority that are held back.
    var held = 0

    var isEmpty: Bool { arrived.isEmpty && released.isEmpty }

    var head: WorkItem? {
      released.isEmpty || isArrivedFirst ? arrived.head : released.head
    }

    @inline(__always)
    mutating func pop() -> Unmanaged<WorkItem>? {
      if released.isEmpty { return arrived.popUnmanaged() }
      return isArrivedFirst ? arrived.popUnmanaged() : released.popUnmanaged()
    }

    /// Whether the head of `arrived` came before that of `released`.
    private var isArrivedFirst: Bool {
      guard let arrived = arrived.head, let released = released.head else { return released.isEmpty }
      return arrived.enqueuedAt < released.enqueuedAt
    }
  }

  /// By priority. Not inside the value: an element of an array in it is copied to be read, with all the others.
  private let lines: UnsafeMutablePointer<Line>
  /// Lines that are not empty, by bit.
  private var occupied: UInt8 = 0
  /// When the item taken last was due.
  private var time: UInt64 = 0
  /// Bulkheads that hold something back.
  private var holding: [Unmanaged<Bulkhead>] = []

  /// Items that a worker may take.
  private(set) var runnable = 0
  /// Items that are held back.
  private(set) var held = 0

  private static let lineCount = WorkPriority.allCases.count

  /// An empty queue.
  init() {
    lines = .allocate(capacity: WorkQueue.lineCount)
    for index in 0..<WorkQueue.lineCount { (lines + index).initialize(to: Line()) }
  }

  deinit {
    lines.deinitialize(count: WorkQueue.lineCount)
    lines.deallocate()
  }

  /// Items that wait, those that are held back included.
  var count: Int { runnable + held }

  /// Whether there is an item that a worker may take.
  var hasRunnable: Bool { occupied != 0 }

  /// Items of one priority that wait, those that are held back included.
  func count(of priority: WorkPriority) -> Int {
    let index = Int(priority.rawValue)
    return lines[index].arrived.count + lines[index].released.count + lines[index].held
  }

  /// The item that ``pop()`` would give, left in place.
  var head: WorkItem? { occupied == 0 ? nil : lines[firstLine].head }

  /// The first item of a priority that was not held back, left in place.
  func arrivedHead(of priority: WorkPriority) -> WorkItem? { lines[Int(priority.rawValue)].arrived.head }

  /// Takes an item in, together with the reference that the caller owned.
  mutating func append(_ item: Unmanaged<WorkItem>) {
    let (priority, bulkhead) = item._withUnsafeGuaranteedRef { ($0.priority, $0.bulkhead) }
    let index = Int(priority.rawValue)
    if let bulkhead, !bulkhead._withUnsafeGuaranteedRef({ $0.takeSlot() }) {
      hold(item, in: bulkhead)
    } else {
      occupy(index)
      lines[index].arrived.append(item)
    }
  }

  /// Takes an item in and a reference to it.
  mutating func append(_ item: WorkItem) { append(Unmanaged.passRetained(item)) }

  /// Takes the item off that is to run next; its reference passes to the caller. Whoever runs it gives the slot of its bulkhead back.
  mutating func pop() -> WorkItem? {
    guard occupied != 0 else { return nil }
    let index = firstLine
    time = lines[index].due
    lines[index].due = time &+ WorkQueue.stride(index)
    guard let item = lines[index].pop() else { return nil }
    leave(index)
    if let bulkhead = item._withUnsafeGuaranteedRef({ $0.bulkhead }) {
      bulkhead._withUnsafeGuaranteedRef { $0.running += 1 }
    }
    return item.takeRetainedValue()
  }

  /// An item of the bulkhead has run.
  mutating func hasRun(in bulkhead: Unmanaged<Bulkhead>) {
    bulkhead._withUnsafeGuaranteedRef { $0.running -= 1 }
    handOn(bulkhead)
  }

  // MARK: leaving without having run

  /// Takes the items off that came before a moment, wherever they wait: each line and each bulkhead is in order. Returns how many
  /// of them somebody still waited for.
  mutating func removeAll(before moment: Int64, into chain: inout WorkChain) -> Int {
    var wanted = 0
    func note(_ item: Unmanaged<WorkItem>) { if !item._withUnsafeGuaranteedRef({ $0.isOver }) { wanted += 1 } }
    // Held ones first: a slot that is given back below goes to one that may still wait.
    for bulkhead in holding.reversed() {
      while let head = bulkhead._withUnsafeGuaranteedRef({ $0.held.head }), head.enqueuedAt < moment {
        guard let item = popHeld(bulkhead) else { break }
        note(item)
        chain.append(item)
      }
    }
    for index in 0..<WorkQueue.lineCount {
      while let head = lines[index].head, head.enqueuedAt < moment, let item = lines[index].pop() {
        note(item)
        drop(item, index, into: &chain)
      }
    }
    return wanted
  }

  /// Takes the items off whose result nobody waits for any more: see ``WorkItem/isOver``. Looks at every item.
  mutating func removeAllThatAreOver(into chain: inout WorkChain) {
    for bulkhead in holding.reversed() {
      for _ in 0..<bulkhead._withUnsafeGuaranteedRef({ $0.held.count }) {
        guard let item = popHeld(bulkhead) else { break }
        if item._withUnsafeGuaranteedRef({ $0.isOver }) { chain.append(item) } else { hold(item, in: bulkhead) }
      }
    }
    for index in 0..<WorkQueue.lineCount {
      var over = WorkChain()
      lines[index].arrived.removeAllThatAreOver(into: &over)
      lines[index].released.removeAllThatAreOver(into: &over)
      while let item = over.popUnmanaged() { drop(item, index, into: &chain) }
    }
  }

  /// Takes the first item of a priority off that was not held back.
  mutating func removeArrivedHead(of priority: WorkPriority, into chain: inout WorkChain) {
    let index = Int(priority.rawValue)
    if let item = lines[index].arrived.popUnmanaged() { drop(item, index, into: &chain) }
  }

  /// An item has been taken off its line and is not run.
  private mutating func drop(_ item: Unmanaged<WorkItem>, _ index: Int, into chain: inout WorkChain) {
    leave(index)
    if let bulkhead = item._withUnsafeGuaranteedRef({ $0.bulkhead }) { handOn(bulkhead) }
    chain.append(item)
  }

  // MARK: lines

  /// The stride of a line, which is the weight of the first one divided by its own: 1, 4, 16.
  @inline(__always)
  private static func stride(_ index: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: 2 &* index) }

  @inline(__always)
  private static func bit(_ index: Int) -> UInt8 { 1 &<< UInt8(truncatingIfNeeded: index) }

  /// The line whose head is due first; of equals the last one. One is not empty.
  @inline(__always)
  private var firstLine: Int {
    let first = occupied.trailingZeroBitCount
    return occupied & (occupied &- 1) == 0 ? first : firstLine(from: first)
  }

  private func firstLine(from first: Int) -> Int {
    var best = first
    for index in first + 1..<WorkQueue.lineCount where occupied & WorkQueue.bit(index) != 0 {
      if lines[index].due <= lines[best].due { best = index }
    }
    return best
  }

  /// An item is about to join a line.
  @inline(__always)
  private mutating func occupy(_ index: Int) {
    runnable &+= 1
    if occupied & WorkQueue.bit(index) == 0 {
      occupied |= WorkQueue.bit(index)
      lines[index].due = time &+ WorkQueue.stride(index)
    }
  }

  /// An item has left a line.
  @inline(__always)
  private mutating func leave(_ index: Int) {
    runnable &-= 1
    if lines[index].isEmpty { occupied &= ~WorkQueue.bit(index) }
  }

  // MARK: bulkheads

  private mutating func hold(_ item: Unmanaged<WorkItem>, in bulkhead: Unmanaged<Bulkhead>) {
    held += 1
    lines[Int(item._withUnsafeGuaranteedRef { $0.priority.rawValue })].held += 1
    bulkhead._withUnsafeGuaranteedRef {
      if $0.held.isEmpty {
        $0.listIndex = holding.count
        holding.append(bulkhead)
      }
      $0.held.append(item)
    }
  }

  /// Takes the first item off that a bulkhead holds back.
  private mutating func popHeld(_ bulkhead: Unmanaged<Bulkhead>) -> Unmanaged<WorkItem>? {
    guard let item = bulkhead._withUnsafeGuaranteedRef({ $0.held.popUnmanaged() }) else { return nil }
    held -= 1
    lines[Int(item._withUnsafeGuaranteedRef { $0.priority.rawValue })].held -= 1
    bulkhead._withUnsafeGuaranteedRef {
      guard $0.held.isEmpty else { return }
      // The last one of the list moves into its place.
      let last = holding.removeLast()
      if $0.listIndex < holding.count {
        holding[$0.listIndex] = last
        last._withUnsafeGuaranteedRef { [index = $0.listIndex] in $0.listIndex = index }
      }
      $0.listIndex = -1
    }
    return item
  }

  /// A slot is given back: the next item that was held back joins its line with it.
  private mutating func handOn(_ bulkhead: Unmanaged<Bulkhead>) {
    guard let item = popHeld(bulkhead) else { return bulkhead._withUnsafeGuaranteedRef { $0.freeSlot() } }
    let index = Int(item._withUnsafeGuaranteedRef { $0.priority.rawValue })
    occupy(index)
    lines[index].released.insertByAge(item)
  }
}
