import Testing

@testable import HeddleCommand

@Suite("Command line")
struct CommandLineParserTests {
  @Test func nothingGivenMeansTheDefaults() throws {
    #expect(try options([]) == ServeOptions())
  }

  @Test func everyFlagSetsItsOwnValue() throws {
    let parsed = try options([
      "--host", "::", "--port", "0", "--min-threads", "5", "--max-threads", "9", "--idle-timeout", "500ms",
      "--queue-limit", "7", "--queue-deadline", "2s", "--lanes", "2", "--stack-size", "1MiB",
      "--max-connections", "50", "--max-connections-per-ip", "4", "--max-body", "2MiB", "--max-header",
      "8KiB",
      "--connection-timeout", "5s", "--drain-timeout", "3s", "--public", "pages", "--lab", "--log-level",
      "debug",
    ])
    var expected = ServeOptions()
    expected.host = "::"
    expected.port = 0
    expected.minThreads = 5
    expected.maxThreads = 9
    expected.idleTimeout = .milliseconds(500)
    expected.queueLimit = 7
    expected.queueDeadline = .seconds(2)
    expected.lanes = 2
    expected.stackSize = 1_048_576
    expected.maxConnections = 50
    expected.maxConnectionsPerIP = 4
    expected.maxBody = 2_097_152
    expected.maxHeader = 8192
    expected.connectionTimeout = .seconds(5)
    expected.drainTimeout = .seconds(3)
    expected.publicFolder = "pages"
    expected.lab = true
    expected.logLevel = .debug
    #expect(parsed == expected)
  }

  @Test func aValueMayFollowAnEqualsSign() throws {
    #expect(try options(["--port=81", "--public=--odd=name"]).port == 81)
    #expect(try options(["--public=--odd=name"]).publicFolder == "--odd=name")
  }

  @Test func theLastOfTwoCounts() throws {
    let parsed = try options(["--port", "1", "--lab", "--port=2", "--no-lab"])
    #expect(parsed.port == 2)
    #expect(parsed.lab == false)
  }

  @Test(arguments: [
    ["--help"], ["-h"], ["--port", "1", "--help"], ["--nonsense", "--help"], ["--port", "--help"],
  ])
  func helpWinsOverAllElse(words: [String]) {
    #expect(parseServe(words) == .help(HelpText.serve()))
  }

  @Test func theProgramItself() {
    func parse(_ words: String...) -> ParseResult {
      CommandLineParser.parse(words, environment: { _ in nil })
    }
    #expect(parse("--help") == .help(HelpText.general))
    #expect(parse("-h") == .help(HelpText.general))
    #expect(parse("--version") == .version)
    #expect(parse() == .usageError("heddle: no command; allowed: serve, --help, --version"))
    #expect(
      parse("sevre")
        == .usageError(
          "heddle: unknown command 'sevre'; did you mean serve? allowed: serve, --help, --version"))
    #expect(
      parse("--port", "1") == .usageError("heddle: unknown flag '--port'; allowed: serve, --help, --version"))
  }

  @Test(arguments: [
    ("--prot", "--port"), ("--idle-timout", "--idle-timeout"), ("--max-thread", "--max-threads"),
    ("--nolab", "--no-lab"), ("--idle", "--idle-timeout"), ("--Host", "--host"),
    ("--log_level", "--log-level"),
    ("-lab", "--lab"),
  ])
  func aTypingMistakeIsAnsweredWithTheNearestFlag(word: String, meant: String) throws {
    let line = try refusal([word, "1"])
    #expect(
      line
        == "heddle: unknown flag '\(word)'; did you mean \(meant)? "
        + "'heddle serve --help' lists what is allowed"
    )
  }

  @Test(arguments: ["--frobnicate", "-p", "--", "-"])
  func nothingIsGuessedWhereNothingIsNear(word: String) throws {
    #expect(
      try refusal([word]) == "heddle: unknown flag '\(word)'; 'heddle serve --help' lists what is allowed")
  }

  @Test func aWordThatBelongsToNoFlagIsRefused() throws {
    #expect(
      try refusal(["8080"])
        == "heddle: unexpected argument '8080'; 'heddle serve --help' lists what is allowed")
    #expect(try refusal(["--lab", "off"]).hasPrefix("heddle: unexpected argument 'off';"))
  }

  @Test func aFlagWithoutItsValueIsRefused() throws {
    #expect(try refusal(["--port"]) == "heddle: --port needs a value; allowed: --port N")
    #expect(try refusal(["--port", "--lab"]) == "heddle: --port needs a value; allowed: --port N")
    #expect(try refusal(["--port="]) == "heddle: --port '': allowed: 0 to 65535")
    #expect(try refusal(["--lab=on"]) == "heddle: --lab 'on': takes no value; allowed: --lab, --no-lab")
  }

  @Test func theLineStaysOneLineWhateverWasTyped() throws {
    let line = try refusal(["--port", "1\n2\r\u{1B}[31m\u{2028}" + String(repeating: "x", count: 1000)])
    #expect(line.hasPrefix("heddle: --port '1\\u{a}2\\u{d}\\u{1b}[31m\\u{2028}xxx"))
    #expect(line.hasSuffix("x…': allowed: 0 to 65535"))
    #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    #expect(line.count < 200)
  }
}
