import Interleavings
import Testing

/// Two threads at two places that matter to each other: one is held at its place until the other has taken its step. What comes the
/// other way round is another line.
@Suite struct PairTests {
  struct Pair: Sendable, CustomTestStringConvertible {
    let scenario: String
    let held: Interleaving.Place
    let until: Interleaving.Place
    init(_ held: Interleaving.Place, until: Interleaving.Place, _ scenario: String) {
      (self.held, self.until, self.scenario) = (held, until, scenario)
    }
    var testDescription: String { "\(held) until \(until): \(scenario)" }
  }

  static let pairs: [Pair] = [
    // The finisher and the leader that meets the connection.
    Pair(.beforeMark, until: .beforeFinish, "slow answers"),
    Pair(.beforeSuspend, until: .beforeFinish, "slow answers"),
    Pair(.beforeSuspend, until: .beforePush, "slow answers"),
    Pair(.beforeFinish, until: .beforeMark, "two answers"),
    Pair(.beforeFinish, until: .beforeSuspend, "two answers"),
    // The push and the leader's way to sleep.
    Pair(.beforeSleepMark, until: .beforePush, "slow answers"),
    Pair(.beforePush, until: .beforeSleepMark, "slow answers"),
    Pair(.beforeWait, until: .beforePush, "slow answers"),
    Pair(.beforeWait, until: .beforeSignal, "slow answers"),
    Pair(.beforePush, until: .beforeWait, "slow answers"),
    Pair(.beforeSignal, until: .beforeTake, "slow and quick"),
    Pair(.beforeTake, until: .beforePush, "slow and quick"),
    Pair(.beforeRun, until: .beforePush, "slow and quick"),
    // The client that leaves, against the finisher and the leader.
    Pair(.beforeMark, until: .leaving, "a client leaves early"),
    Pair(.beforeClaim, until: .leaving, "a client leaves early"),
    Pair(.beforeFinish, until: .leaving, "a client leaves early"),
    Pair(.leaving, until: .beforeSuspend, "a client leaves early"),
    Pair(.leaving, until: .beforePush, "a client leaves early"),
    // Two who finish.
    Pair(.beforeClaim, until: .beforeFinish, "the time limit"),
    Pair(.beforeFinish, until: .beforeClaim, "the time limit"),
    Pair(.beforeClaim, until: .beforeFinish, "the drain timeout"),
    Pair(.beforeExpiry, until: .beforeTake, "the queue deadline"),
    Pair(.beforeExpiry, until: .beforeSuspend, "the queue deadline"),
    // The lane that is left, and the item.
    Pair(.beforeItem, until: .beforeSuspend, "two answers"),
    Pair(.beforeItem, until: .beforeTick, "two answers"),
    Pair(.beforePublish, until: .beforeTick, "messages"),
    Pair(.beforeNext, until: .beforeTake, "slow answers"),
    // What was decided, and who is to be called.
    Pair(.beforeDebts, until: .handler, "limits"),
    Pair(.beforeDebts, until: .beforeTick, "slow and quick"),
    Pair(.beforeWait, until: .beforeDebts, "messages"),
    Pair(.beforeIdleEnd, until: .beforeDebts, "the idle time"),
    Pair(.beforeIdleEnd, until: .beforeNext, "the idle time"),
    Pair(.beforeMessages, until: .beforeDebts, "messages"),
    Pair(.beforeMessages, until: .beforeTake, "messages"),
    Pair(.beforeTick, until: .beforeItem, "two answers"),
    // The end.
    Pair(.beforeSleepMark, until: .beforePush, "a drain"),
    Pair(.beforeWait, until: .beforePush, "a drain"),
    Pair(.beforeStop, until: .beforeNext, "a drain"),
    Pair(.beforeClosed, until: .beforeNext, "a drain"),
    Pair(.beforeFinish, until: .beforeTake, "the drain timeout"),
  ]

  @Test(arguments: pairs) func oneBeforeTheOther(_ pair: Pair) throws {
    let happened = Recorder()
    var search = Search(Scenario.named(pair.scenario))
    try search.tryHolding(at: pair.held, until: pair.until, times: 3, happened: happened)
    #expect(happened.values.count == 3, "in \(search.rounds) rounds")
  }
}
