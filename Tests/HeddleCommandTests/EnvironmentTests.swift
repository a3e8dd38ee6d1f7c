import Testing

@testable import HeddleCommand

@Suite("Environment variables")
struct EnvironmentTests {
  @Test func aVariableStandsInForItsFlag() throws {
    let parsed = try options(
      [], variables: ["HEDDLE_IDLE_TIMEOUT": "5m", "HEDDLE_MAX_CONNECTIONS_PER_IP": "3"])
    #expect(parsed.idleTimeout == .seconds(300))
    #expect(parsed.maxConnectionsPerIP == 3)
  }

  @Test func aFlagWinsOverItsVariable() throws {
    #expect(try options(["--port", "2"], variables: ["HEDDLE_PORT": "1"]).port == 2)
    #expect(try options(["--no-lab"], variables: ["HEDDLE_LAB": "on"]).lab == false)
  }

  @Test func aVariableThatAFlagOverridesMayHoldAnything() throws {
    #expect(try options(["--port=2"], variables: ["HEDDLE_PORT": "tcp://10.0.0.1:80"]).port == 2)
  }

  @Test func emptyAndForeignVariablesAreLeftAlone() throws {
    let variables = ["HEDDLE_PORT": "", "HEDDLE_SERVICE_HOST": "10.0.0.1", "PORT": "1"]
    #expect(try options([], variables: variables) == ServeOptions())
  }

  @Test(arguments: [
    ("on", true), ("true", true), ("1", true), ("off", false), ("false", false), ("0", false),
  ])
  func theLabRoutesAreSwitched(text: String, expected: Bool) throws {
    #expect(try options([], variables: ["HEDDLE_LAB": text]).lab == expected)
  }

  @Test func aBadValueIsNamedByItsVariable() throws {
    #expect(
      try refusal([], variables: ["HEDDLE_PORT": "x"]) == "heddle: HEDDLE_PORT 'x': allowed: 0 to 65535")
    #expect(
      try refusal([], variables: ["HEDDLE_LAB": "maybe"]) == "heddle: HEDDLE_LAB 'maybe': allowed: on, off")
    #expect(
      try refusal(["--max-threads", "8"], variables: ["HEDDLE_MIN_THREADS": "9"])
        == "heddle: HEDDLE_MIN_THREADS '9': must be at most --max-threads = 8")
  }

  @Test func everyVariableIsReadAndNoOther() {
    nonisolated(unsafe) var asked: [String] = []  // The parser calls the closure on this thread only.
    _ = CommandLineParser.parse(["serve"]) { name in
      asked.append(name)
      return nil
    }
    #expect(Set(asked) == Set(ServeOption.all.map(\.variable)))
  }
}
