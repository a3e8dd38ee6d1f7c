import Glibc
import Interleavings
import Testing

/// Each wrong variant is noticed. In a process of its own, since it leaves threads behind that never end, or ends the process.
@Suite struct WrongVariantTests {
  /// The scenario in which it shows.
  static func scenario(_ variant: Interleaving.Variant) -> String {
    switch variant {
    case .newLeaderWaits, .ignoresZero, .sleepsUnseen, .postsAlways: "two answers"
    case .looksThenFinishes, .looksThenSuspends, .neverPosts, .resumesItself, .looksThenSleeps, .noWakeUp, .twoLead,
      .paysLate, .skipsRun:
      "slow answers"
    case .goneIsNotPosted: "a client leaves early"
    case .noClaim, .recyclesShared: "the time limit"
    case .looksThenParks, .messageEatsToken, .messageOnStack, .vacatesQuietly: "messages"
    case .messageKeepsLane: "a message waits for a request"
    case .tokenEnds: "the idle time"
    case .stopsEarly: "a drain"
    case .latecomerRuns: "a request after the drain timeout"
    case .expiredIsNotPosted, .stopsLast: "the drain timeout"
    }
  }

  /// How the child says that the conductor noticed what is wrong.
  static let noticed: CInt = 86

  static func end(_ variant: Interleaving.Variant) -> ExitTest.Condition {
    switch variant {
    // libmicrohttpd is stopped with a suspended connection, and aborts the process.
    case .stopsEarly: .signal(SIGABRT)
    // Swift's own checks find an exchange in two hands; which of them depends on who comes first.
    case .recyclesShared: .failure
    default: .exitCode(noticed)
    }
  }

  @Test(arguments: Interleaving.Variant.allCases) func isNoticed(_ variant: Interleaving.Variant) async {
    await #expect(processExitsWith: WrongVariantTests.end(variant)) { [variant] in
      let name = WrongVariantTests.scenario(variant)
      var search = Search(Scenario.named(name), wrong: variant)
      do {
        try search.tryAtRandom(1...150)
        for pair in PairTests.pairs where pair.scenario == name {
          try search.tryHolding(at: pair.held, until: pair.until, times: 20, happened: Recorder())
        }
      } catch {
        // At once: a sanitizer would have its say about the threads that are left behind.
        _exit(WrongVariantTests.noticed)
      }
      exit(EXIT_SUCCESS)
    }
  }
}
