import Interleavings
import Testing

/// The conductor itself.
@Suite struct ConductorTests {
  /// Without this a seed would tell nothing. A few may differ: on a busy machine the kernel delivers what was sent a little later.
  @Test func theSameSeedGivesTheSameCourse() throws {
    var (count, different) = (0, [String]())
    for scenario in Scenario.all {
      for seed in UInt64(1)...3 {
        let traces = try (0..<2).map { _ in
          let trace = Recorder.Steps()
          _ = try Round.play(scenario, Anyone(random: SeededNumbers(seed: seed)), trace: trace)
          return trace.values
        }
        // The trace is taken when the clients have gone; somebody else may have had another turn by then.
        let common = zip(traces[0], traces[1]).prefix { $0 == $1 }.count
        count += 1
        if common < min(traces[0].count, traces[1].count) {
          let ways = traces.map { $0.dropFirst(max(0, common - 3)).prefix(6) }
          different.append("\(scenario.name), seed \(seed), turn \(common): \(ways)")
        }
      }
    }
    #expect(different.count * 10 <= count, "\(different)")
  }

  /// Each place is one that a thread comes to, else holding somebody there would prove nothing.
  @Test func everyPlaceIsReached() throws {
    var seen: Set<Interleaving.Place> = [.betweenTwoSteps]  // in wrong variants only
    for scenario in Scenario.all {
      for seed in UInt64(1)...12 {
        let trace = Recorder.Steps()
        _ = try Round.play(scenario, Anyone(random: SeededNumbers(seed: seed)), trace: trace)
        seen.formUnion(trace.values.map(\.place))
      }
    }
    #expect(seen == Set(Interleaving.Place.allCases), "\(Set(Interleaving.Place.allCases).subtracting(seen))")
  }
}
