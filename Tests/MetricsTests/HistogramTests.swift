import Metrics
import Testing

@Suite struct HistogramTests {
  private let bounds = HistogramBounds(nanoseconds: [10, 20, 40])

  @Test func whatEqualsABoundFallsIntoItsBucket() {
    let cell = HistogramCell(bounds)
    for duration: UInt64 in [0, 9, 10, 11, 20, 21, 40, 41, .max / 2] { cell.record(nanoseconds: duration) }
    let snapshot = cell.snapshot()
    #expect(snapshot.counts == [3, 2, 2, 2])
    #expect(snapshot.cumulativeCounts == [3, 5, 7])
    #expect(snapshot.count == 9)
    #expect(snapshot.sum == (Double(UInt64.max / 2) + 152) / 1e9)
  }

  @Test func everyDefaultBoundIsItsOwnUpperEdge() {
    let bounds = HistogramBounds.requestDuration
    #expect(bounds.seconds.first == 0.00005 && bounds.seconds.last == 10)
    #expect(bounds.seconds.map(\.description).contains("0.075"))
    for (index, bound) in bounds.nanoseconds.enumerated() {
      let cell = HistogramCell(bounds)
      cell.record(nanoseconds: bound)
      cell.record(nanoseconds: bound + 1)
      #expect(cell.snapshot().counts[index] == 1)
      #expect(cell.snapshot().counts[index + 1] == 1)
    }
  }

  @Test func aHistogramWithoutBoundsCounts() {
    let cell = HistogramCell(HistogramBounds(nanoseconds: []))
    cell.record(nanoseconds: 5)
    #expect(cell.snapshot().counts == [1])
  }

  @Test func twoAddUp() {
    let left = HistogramSnapshot(bounds: [1, 2], counts: [1, 2, 3], sum: 1.5)
    let right = HistogramSnapshot(bounds: [1, 2], counts: [10, 0, 1], sum: 2)
    #expect(left + right == HistogramSnapshot(bounds: [1, 2], counts: [11, 2, 4], sum: 3.5))
  }

  @Test func isMadeOfCumulativeCounts() {
    let made = HistogramSnapshot(bounds: [1, 2], cumulativeCounts: [3, 5], count: 9, sum: 4)
    #expect(made == HistogramSnapshot(bounds: [1, 2], counts: [3, 2, 4], sum: 4))
    let late = HistogramSnapshot(bounds: [1, 2], cumulativeCounts: [3, 5], count: 4, sum: 4)
    #expect(late.counts == [3, 2, 0], "a total that is behind makes no count negative")
  }

  @Test func differentBoundsDoNotAddUp() async {
    await #expect(processExitsWith: .failure) {
      _ =
        HistogramSnapshot(bounds: [1], counts: [0, 0], sum: 0)
        + HistogramSnapshot(bounds: [2], counts: [0, 0], sum: 0)
    }
  }

  @Test func boundsMustAscend() async {
    await #expect(processExitsWith: .failure) { _ = HistogramBounds(nanoseconds: [2, 1]) }
  }
}
