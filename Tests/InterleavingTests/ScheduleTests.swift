import Glibc
import Testing

/// Heddle's own code, with its threads in many orders.
@Suite struct ScheduleTests {
  /// How many orders by chance each scenario is played in: 30, or what the environment says.
  static let seeds = UInt64(getenv("HEDDLE_SEEDS").flatMap { Int(String(cString: $0)) } ?? 30)

  @Test(arguments: Scenario.all) func everyTurnIsGivenToEveryOther(_ scenario: Scenario) throws {
    var search = Search(scenario)
    try search.tryEachTurn()
    #expect(search.rounds > 20)
  }

  @Test(arguments: Scenario.all) func ordersByChance(_ scenario: Scenario) throws {
    var search = Search(scenario)
    try search.tryAtRandom(1...max(1, ScheduleTests.seeds))
  }
}
