import CPlatform
import Testing

@testable import HTTPServer

@Suite struct ServiceEstimateTests {
  private static let millisecond: Int64 = 1_000_000

  private static func usage(_ milliseconds: Int64, sleeps: Int64) -> heddle_usage {
    heddle_usage(cpu_nanoseconds: milliseconds * millisecond, sleeps: sleeps)
  }

  @Test func aRouteIsShortUntilItsRunsAreLong() {
    let estimate = ServiceEstimate()
    // Read apart: what cannot be copied cannot stand in an expectation.
    var (isLong, isWaiting) = (false, false)
    (isLong, isWaiting) = (estimate.isLong, estimate.isWaiting)
    #expect(!isLong && !isWaiting)
    for _ in 0..<20 { estimate.note(1000) }
    (isLong, isWaiting) = (estimate.isLong, estimate.isWaiting)
    #expect(!isLong)
    // One long run among short ones does not make it long, unless it was very long.
    estimate.note(2 * ServiceEstimateTests.millisecond)
    (isLong, isWaiting) = (estimate.isLong, estimate.isWaiting)
    #expect(!isLong)
    for _ in 0..<10 { estimate.note(2 * ServiceEstimateTests.millisecond) }
    (isLong, isWaiting) = (estimate.isLong, estimate.isWaiting)
    #expect(isLong)
    for _ in 0..<40 { estimate.note(1000) }
    (isLong, isWaiting) = (estimate.isLong, estimate.isWaiting)
    #expect(!isLong)
  }

  @Test func whoSleepsWaitsAndWhoDoesNotComputes() {
    let estimate = ServiceEstimate()
    // Read apart: what cannot be copied cannot stand in an expectation.
    var (isLong, isWaiting) = (false, false)
    for _ in 0..<4 {
      estimate.note(
        ServiceEstimateTests.usage(0, sleeps: 0), ServiceEstimateTests.usage(0, sleeps: 1),
        run: 50 * ServiceEstimateTests.millisecond)
    }
    (isLong, isWaiting) = (estimate.isLong, estimate.isWaiting)
    #expect(isLong && isWaiting)
    // It was kept from its processor half of the time; that is no waiting.
    for _ in 0..<8 {
      estimate.note(
        ServiceEstimateTests.usage(0, sleeps: 7), ServiceEstimateTests.usage(5, sleeps: 7),
        run: 10 * ServiceEstimateTests.millisecond)
    }
    (isLong, isWaiting) = (estimate.isLong, estimate.isWaiting)
    #expect(isLong && !isWaiting)
  }

  /// A quick handler whose thread was kept from its processor for long counts for what it used.
  @Test func aBusyMachineMakesNoHandlerSlow() {
    let estimate = ServiceEstimate()
    // Read apart: what cannot be copied cannot stand in an expectation.
    var isLong = false
    estimate.note(100 * ServiceEstimateTests.millisecond)
    isLong = estimate.isLong
    #expect(isLong)
    for _ in 0..<50 {
      estimate.note(
        ServiceEstimateTests.usage(3, sleeps: 2), ServiceEstimateTests.usage(3, sleeps: 2),
        run: 20 * ServiceEstimateTests.millisecond)
    }
    isLong = estimate.isLong
    #expect(!isLong)
  }
}
