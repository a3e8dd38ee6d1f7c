import Metrics
import Testing

@Suite struct HistogramTableTests {
  private let bounds = HistogramBounds(nanoseconds: [10])

  @Test func countsByKey() {
    let table = HistogramTable(bounds)
    // Also keys that fall on one another in a small table.
    let keys: [UInt64] = [0, 1, 16, 32, 1 << 32, 1 << 63, .max - 1]
    for (index, key) in keys.enumerated() {
      for _ in 0...index { table.record(key: key, nanoseconds: 5) }
    }
    let snapshot = table.snapshot()
    #expect(snapshot.count == keys.count)
    for (index, key) in keys.enumerated() { #expect(snapshot[key]?.counts == [UInt64(index + 1), 0]) }
    #expect(table.overflowTotal == 0)
  }

  @Test func growsAndKeepsWhatItHas() {
    let table = HistogramTable(bounds)
    for round in 1...3 {
      for key in 0..<1_000 { table.record(key: UInt64(key) &* 4_096, nanoseconds: 1) }
      let snapshot = table.snapshot()
      #expect(snapshot.count == 1_000)
      #expect(snapshot.values.allSatisfy { $0.count == UInt64(round) })
    }
    #expect(table.overflowTotal == 0)
  }

  @Test func whatFindsNoPlaceIsCountedTogether() {
    let table = HistogramTable(bounds, maximumKeys: 3)
    for key in 0..<5 { table.record(key: UInt64(key), nanoseconds: 20) }
    table.record(key: 2, nanoseconds: 20)
    table.record(key: 9, nanoseconds: 20)
    let snapshot = table.snapshot()
    #expect(Set(snapshot.keys) == [0, 1, 2, HistogramTable.overflowKey])
    #expect(snapshot[HistogramTable.overflowKey]?.count == 3)
    #expect(snapshot[2]?.count == 2)
    #expect(table.overflowTotal == 3)
  }

  @Test func theOverflowKeyItselfIsOverflow() {
    let table = HistogramTable(bounds)
    table.record(key: HistogramTable.overflowKey, nanoseconds: 1)
    #expect(table.overflowTotal == 1)
    #expect(table.snapshot()[HistogramTable.overflowKey]?.count == 1)
  }

  @Test func aReaderSeesEveryCountGrowWhileTheTableDoes() async {
    let table = HistogramTable(bounds)
    let done = Counter()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for turn in 0..<20_000 { table.record(key: UInt64(turn % 700), nanoseconds: 5) }
        done.add()
      }
      var last: [UInt64: HistogramSnapshot] = [:]
      while done.value == 0 {
        let now = table.snapshot()
        for (key, histogram) in last { #expect(now[key]?.count ?? 0 >= histogram.count) }
        last = now
        await Task.yield()
      }
    }
    #expect(table.snapshot().values.reduce(0) { $0 + $1.count } == 20_000)
  }

  @Test func shardsAddUp() {
    let shards = (0..<2).map { _ in HistogramTable(bounds) }
    shards[0].record(key: 1, nanoseconds: 5)
    shards[1].record(key: 1, nanoseconds: 50)
    shards[1].record(key: 2, nanoseconds: 5)
    var totals = HistogramTotals()
    for shard in shards { totals.absorb(shard.snapshot()) }
    #expect(totals.histograms[1]?.counts == [1, 1])
    #expect(totals.histograms[2]?.counts == [1, 0])
    var all = HistogramTotals()
    all.absorb(totals)
    all.absorb(totals)
    #expect(all.histograms[1]?.counts == [2, 2])
    #expect(all.overflowTotal == 0)
  }

  @Test func totalsHaveALimitToo() {
    var totals = HistogramTotals(maximumKeys: 2)
    let one = HistogramSnapshot(bounds: [1], counts: [1, 0], sum: 0.5)
    totals.absorb([5: one, 7: one, 9: one])
    totals.absorb([7: one, 11: one, HistogramTable.overflowKey: one])
    #expect(Set(totals.histograms.keys) == [5, 7, HistogramTable.overflowKey])
    #expect(totals.histograms[7]?.count == 2)
    #expect(totals.overflowTotal == 3)
  }
}
