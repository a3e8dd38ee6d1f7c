import CPlatform
import Interleavings

/// Plays a scenario in many orders.
struct Search {
  let scenario: Scenario
  var wrong: Interleaving.Variant?
  /// How many rounds have been played.
  private(set) var rounds = 0

  init(_ scenario: Scenario, wrong: Interleaving.Variant? = nil) {
    self.scenario = scenario
    self.wrong = wrong
  }

  /// What was found, and how to see it again.
  struct Finding: Error, CustomStringConvertible {
    let problem: String
    let scenario: String
    let order: String
    let trace: [Conductor.Step]
    /// The last turns say most.
    var description: String {
      let turns = trace.suffix(80).map(\.description).joined(separator: " ")
      return "\(problem) (scenario “\(scenario)”, \(order); turns: \(turns))"
    }
  }

  /// One round with the usual order, and one for each turn that somebody else may have instead.
  mutating func tryEachTurn(limit: Int = .max) throws {
    let usual = Recorder()
    try play(Preempting([:], others: usual), "the usual order")
    for (turn, others) in usual.values.enumerated() {
      for other in 0..<others where rounds < limit {
        try play(Preempting([turn: other], others: Recorder()), "turn \(turn) to other \(other)")
      }
    }
  }

  /// Rounds in an order by chance: every third time anybody at any turn, otherwise by priorities that change a few times.
  mutating func tryAtRandom(_ seeds: some Sequence<UInt64>) throws {
    for seed in seeds {
      let random = SeededNumbers(seed: seed)
      if seed % 3 == 0 {
        try play(Anyone(random: random), "seed \(seed)")
      } else {
        try play(Priorities(random: random, changes: Int(seed % 4) + 1, turns: 100), "seed \(seed)")
      }
    }
  }

  /// Rounds in which one thread is held at a place until another has gone on from its own, until that has come about so many times:
  /// the other threads run in an order by chance.
  mutating func tryHolding(
    at held: Interleaving.Place, until: Interleaving.Place, times: Int, happened: Recorder
  ) throws {
    for seed in UInt64(1)...400 where happened.values.count < times {
      var random = SeededNumbers(seed: seed)
      let skips = random.below(1 + random.below(8))
      let base = Priorities(random: random, changes: 3, turns: 60)
      let holding = Holding(at: held, until: until, skips: skips, base: base, happened: happened)
      try play(holding, "\(held) until \(until), seed \(seed)")
    }
  }

  private mutating func play(_ strategy: any Strategy, _ order: String) throws {
    rounds += 1
    let trace = Recorder.Steps()
    if let problem = try Round.play(scenario, strategy, wrong: wrong, trace: trace) {
      throw Finding(problem: problem, scenario: scenario.name, order: order, trace: trace.values)
    }
  }
}
