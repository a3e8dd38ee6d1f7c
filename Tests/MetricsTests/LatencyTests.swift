@testable import Metrics
import Testing

/// Numbers that look random and are the same in every run: splitmix64.
private struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

@Suite struct LatencyTests {
  @Test func bucketsMeetWithoutGapsAndAreNarrow() {
    for bucket in 0..<(LatencyScale.bucketCount - 1) {
      let (lower, upper) = (LatencyScale.lowerEdge(of: bucket), LatencyScale.lowerEdge(of: bucket + 1))
      #expect(LatencyScale.bucket(of: lower) == bucket)
      #expect(LatencyScale.bucket(of: upper - 1) == bucket)
      if bucket > 0 { #expect((upper - lower) * 16 <= lower) }
    }
    #expect(LatencyScale.bucket(of: 1 << 38) == LatencyScale.bucketCount - 1)
    #expect(LatencyScale.bucket(of: .max) == LatencyScale.bucketCount - 1)
  }

  @Test(arguments: [1, 2, 3, 4, 5])
  func quantilesAreWithinASixteenth(_ seed: UInt64) {
    var generator = Generator(state: seed)
    // Evenly spread over the powers of two, so that all sizes occur.
    let durations = (0..<5_000).map { _ in
      let power = UInt64.random(in: 10..<37, using: &generator)
      return UInt64.random(in: (1 << power)..<(2 << power), using: &generator)
    }
    let recorder = LatencyRecorder()
    for duration in durations { recorder.record(nanoseconds: duration) }
    let snapshot = recorder.snapshot()
    let sorted = durations.sorted()
    #expect(snapshot.count == 5_000)
    for part in [0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1] {
      let rank = max(Int((part * 5_000).rounded(.up)), 1) - 1
      let exact = Double(sorted[rank]) / 1e9
      #expect(abs(snapshot.quantile(part) - exact) <= exact / 16, "quantile \(part)")
    }
    #expect(snapshot.maxSeconds == Double(sorted[4_999]) / 1e9)
    #expect(snapshot.quantile(1) == snapshot.maxSeconds)
    let sum = Double(durations.reduce(0, +)) / 1e9
    #expect(abs(snapshot.sumSeconds - sum) <= sum * 1e-12)
  }

  @Test func extremesHaveAPlace() {
    let recorder = LatencyRecorder()
    recorder.record(nanoseconds: 0)
    recorder.record(nanoseconds: 1 << 40)
    let snapshot = recorder.snapshot()
    #expect(snapshot.count == 2)
    #expect(snapshot.quantile(0.5) <= 1.024e-6)
    #expect(snapshot.quantile(0.99) == Double(1 << 40) / 1e9)
  }

  @Test func noQuantileExceedsTheMaximum() {
    let recorder = LatencyRecorder()
    recorder.record(nanoseconds: 1_000_001)
    #expect(recorder.snapshot().quantile(0.5) <= recorder.snapshot().maxSeconds)
    #expect(LatencySnapshot().quantile(0.5) == 0)
  }

  @Test func twoAddUp() {
    let (both, left, right) = (LatencyRecorder(), LatencyRecorder(), LatencyRecorder())
    for duration: UInt64 in [2_000, 3_000_000] {
      left.record(nanoseconds: duration)
      both.record(nanoseconds: duration)
    }
    for duration: UInt64 in [1_500, 900_000_000] {
      right.record(nanoseconds: duration)
      both.record(nanoseconds: duration)
    }
    let sum = left.snapshot() + right.snapshot()
    #expect(sum.count == 4)
    #expect(sum.maxSeconds == 0.9)
    #expect(sum.quantile(0.5) == both.snapshot().quantile(0.5))
    #expect(abs(sum.sumSeconds - both.snapshot().sumSeconds) < 1e-12)
    #expect(left.snapshot() + LatencySnapshot() == left.snapshot())
  }

  @Test func aDifferenceIsWhatCameBetween() {
    let (all, late) = (LatencyRecorder(), LatencyRecorder())
    for duration: UInt64 in [2_000, 900_000_000] { all.record(nanoseconds: duration) }
    let earlier = all.snapshot()
    for duration: UInt64 in [1_500, 3_000_000, 3_000_000, 5_000_000] {
      all.record(nanoseconds: duration)
      late.record(nanoseconds: duration)
    }
    let between = all.snapshot() - earlier
    #expect(between.count == 4)
    for part in [0.1, 0.5, 0.75] { #expect(between.quantile(part) == late.snapshot().quantile(part)) }
    #expect(abs(between.sumSeconds - 0.0110015) < 1e-12)
    // The longest of them was not kept; the edge of its bucket is at most a sixteenth away.
    #expect((0.005...0.005 * 17 / 16).contains(between.maxSeconds))
    #expect(between.quantile(1) == between.maxSeconds)
  }

  @Test func aDifferenceKnowsANewMaximum() {
    let recorder = LatencyRecorder()
    recorder.record(nanoseconds: 1_000_000)
    let earlier = recorder.snapshot()
    recorder.record(nanoseconds: 7_000_001)
    #expect((recorder.snapshot() - earlier).maxSeconds == Double(7_000_001) / 1e9)
    // The last bucket has no edge.
    for _ in 0..<2 {
      let before = recorder.snapshot()
      recorder.record(nanoseconds: 1 << 40)
      #expect((recorder.snapshot() - before).maxSeconds == Double(1 << 40) / 1e9)
    }
  }

  @Test func nothingBetweenIsNothing() {
    let recorder = LatencyRecorder()
    recorder.record(nanoseconds: 1_000_000)
    let earlier = recorder.snapshot()
    #expect(recorder.snapshot() - earlier == LatencySnapshot())
    recorder.record(nanoseconds: 1_000_000)
    #expect(earlier - recorder.snapshot() == LatencySnapshot())
    #expect(earlier - LatencySnapshot() == earlier)
  }

  @Test func addingInPlaceIsAddingASnapshot() {
    let (left, right) = (LatencyRecorder(), LatencyRecorder())
    for duration: UInt64 in [2_000, 3_000_000] { left.record(nanoseconds: duration) }
    for duration: UInt64 in [1_500, 900_000_000] { right.record(nanoseconds: duration) }
    var total = LatencySnapshot()
    left.add(to: &total)
    right.add(to: &total)
    #expect(total == left.snapshot() + right.snapshot())
  }
}
