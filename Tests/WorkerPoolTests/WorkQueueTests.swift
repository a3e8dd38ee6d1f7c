import Testing

@testable import WorkerPool

/// The queue by itself: in which order items come out of it.
@Suite struct WorkQueueTests {
  /// The priorities of so many items, as they are taken; whatever is taken is made up for at once.
  private func taken(_ count: Int, from queue: inout WorkQueue) -> [WorkPriority] {
    (0..<count).compactMap { _ in
      guard let item = queue.pop() else { return nil }
      queue.append(NumberedItem(0, item.priority))
      return item.priority
    }
  }

  private func fill(_ queue: inout WorkQueue, _ priorities: WorkPriority...) {
    for priority in priorities { for _ in 0..<2 { queue.append(NumberedItem(0, priority)) } }
  }

  @Test func oneLineIsFirstInFirstOut() {
    for priority in WorkPriority.allCases {
      var queue = WorkQueue()
      for number in 0..<5 { queue.append(NumberedItem(number, priority)) }
      #expect(queue.count(of: priority) == 5)
      #expect((queue.head as? NumberedItem)?.number == 0)
      #expect((0..<6).map { _ in queue.pop().map(SchedulerTable.number) } == [0, 1, 2, 3, 4, nil])
      #expect(!queue.hasRunnable && queue.count == 0 && queue.head == nil)
    }
  }

  /// While all wait, each 21 items that are taken are 16, 4 and 1.
  @Test func allThreeShareByWeight() {
    var queue = WorkQueue()
    fill(&queue, .low, .normal, .high)
    let order = taken(21 * 10, from: &queue)
    for start in stride(from: 0, to: order.count, by: 21) {
      let round = order[start..<start + 21]
      let counts = WorkPriority.allCases.map { priority in round.count { $0 == priority } }
      #expect(counts == [16, 4, 1] && counts == WorkPriority.allCases.map(\.weight))
    }
    // Spread, not in blocks.
    #expect(order.prefix(6) == [.high, .high, .high, .normal, .high, .high])
  }

  @Test(arguments: [
    (WorkPriority.high, WorkPriority.normal, 5, 4), (.high, .low, 17, 16), (.normal, .low, 5, 4),
  ])
  func twoShareByWeight(_ more: WorkPriority, _ less: WorkPriority, _ period: Int, _ share: Int) {
    var queue = WorkQueue()
    fill(&queue, less, more)
    let order = taken(period * 8, from: &queue)
    for start in stride(from: 0, to: order.count, by: period) {
      #expect(order[start..<start + period].count { $0 == more } == share)
    }
  }

  /// The head is what the next pop gives, always.
  @Test func theHeadIsWhatIsTakenNext() {
    var queue = WorkQueue()
    fill(&queue, .low, .high, .normal)
    for number in 0..<100 {
      let head = queue.head
      let item = queue.pop()
      #expect(head === item)
      queue.append(NumberedItem(number, item?.priority ?? .low))
    }
  }

  /// Whatever happened before, and whatever comes meanwhile: while an item is at the head of its line, no more than so many others
  /// are taken before it.
  @Test(arguments: 1...20) func nobodyStarves(_ seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    var queue = WorkQueue()
    var lengths = [0, 0, 0]
    var waited = [0, 0, 0]
    let most = [2, 5, 20]
    var worst = [0, 0, 0]
    let chances = (0..<3).map { _ in 5 + random.below(95) }
    for _ in 0..<20_000 {
      for index in 0..<3 where random.chance(chances[index]) && lengths[index] < 3 {
        lengths[index] += 1
        queue.append(NumberedItem(0, WorkPriority.allCases[index]))
      }
      guard random.chance(90), let item = queue.pop() else { continue }
      let index = Int(item.priority.rawValue)
      lengths[index] -= 1
      waited[index] = 0
      for other in 0..<3 where other != index {
        waited[other] = lengths[other] > 0 ? waited[other] + 1 : 0
        worst[other] = max(worst[other], waited[other])
      }
    }
    for index in 0..<3 { #expect(worst[index] <= most[index], "\(WorkPriority.allCases[index])") }
  }

  /// Items of high priority that come one by one, each when the last one has been taken, do not keep a low one waiting for ever.
  @Test func aStreamWithoutABacklogKeepsNobodyWaiting() {
    var queue = WorkQueue()
    queue.append(NumberedItem(-1, .low))
    var others = 0
    while others < 100 {
      queue.append(NumberedItem(others, .high))
      guard let item = queue.pop() as? NumberedItem, item.number >= 0 else { break }
      others += 1
    }
    #expect(others == 15)
  }

  /// What was not used is not saved up.
  @Test func whoDidNotComeHasNoClaimLater() {
    var queue = WorkQueue()
    fill(&queue, .normal)
    _ = taken(1000, from: &queue)
    fill(&queue, .low)
    let order = taken(50, from: &queue)
    #expect(order.count { $0 == .low } == 10)
  }
}
