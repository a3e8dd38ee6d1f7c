@testable import Locks
import Testing

@Suite struct WaitHistogramTests {
  @Test func bucketsMeetWithoutGapsAndCloseAtTheirUpperEdge() {
    #expect(WaitHistogram.bucket(of: 0) == 0)
    for bucket in 0..<WaitHistogram.bucketCount {
      let edge = WaitHistogram.upperEdge(of: bucket)
      #expect(edge > WaitHistogram.lowerEdge(of: bucket))
      #expect(WaitHistogram.bucket(of: edge) == bucket)
      #expect(WaitHistogram.bucket(of: edge + 1) == min(bucket + 1, WaitHistogram.bucketCount - 1))
    }
    #expect(WaitHistogram.bucket(of: .max) == WaitHistogram.bucketCount - 1)
    #expect(WaitHistogram.upperEdge(of: WaitHistogram.bucketCount - 1) == 1 << 43)
  }

  @Test func countsAreExactAtTheBoundsThatAreSaidToBe() {
    let bounds = WaitHistogram.exactBounds
    #expect(bounds.first == 1.024e-6)
    #expect(bounds.count == 12)
    let cells = WaitHistogramCells()
    for power in 5...16 {
      let edge = UInt64(1) << (2 * power)
      for length in [edge - 1, edge, edge + 1] { cells.add(nanoseconds: length) }
    }
    let histogram = cells.snapshot(longest: 5)
    #expect(histogram.cumulativeCounts(at: bounds) == (0..<12).map { UInt64(3 * $0 + 2) })
    #expect(histogram.count == 36)
    #expect(histogram.cumulativeCounts(at: [1e9]) == [36])
  }

  @Test func quantilesAreInTheRightBucketAndNeverBeyondTheLongest() {
    let cells = WaitHistogramCells()
    for _ in 0..<98 { cells.add(nanoseconds: 1_000) }
    for _ in 0..<2 { cells.add(nanoseconds: 1_000_000) }
    let histogram = cells.snapshot(longest: 0.001)
    #expect(abs(histogram.quantile(0.5) - 1e-6) < 0.25e-6)
    #expect(abs(histogram.quantile(0.99) - 1e-3) < 0.25e-3)
    #expect(histogram.quantile(1) == 0.001)
    #expect(WaitHistogram().quantile(0.5) == 0)
    #expect(WaitHistogram().count == 0)
  }
}
