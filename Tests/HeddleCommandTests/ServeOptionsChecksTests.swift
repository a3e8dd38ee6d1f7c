import Glibc
import Testing

@testable import HeddleCommand

@Suite("Options that depend on each other")
struct ServeOptionsChecksTests {
  @Test(arguments: [
    (cores: 1, lanes: 1, max: 64, expected: 2), (cores: 8, lanes: 1, max: 64, expected: 8),
    (cores: 8, lanes: 9, max: 64, expected: 10), (cores: 8, lanes: 1, max: 3, expected: 3),
    (cores: 128, lanes: 1, max: 64, expected: 64),
  ])
  func theMinimumFollowsCoresLanesAndMaximum(cores: Int, lanes: Int, max: Int, expected: Int) throws {
    let parsed = try options(["--lanes", "\(lanes)", "--max-threads", "\(max)"])
    #expect(parsed.minThreads == nil)
    #expect(parsed.effectiveMinThreads(cores: cores) == expected)
  }

  @Test func aMinimumThatIsGivenIsTaken() throws {
    #expect(try options(["--min-threads", "3"]).effectiveMinThreads(cores: 8) == 3)
    #expect(try options(["--min-threads", "3", "--max-threads", "3"]).effectiveMinThreads(cores: 8) == 3)
  }

  @Test func threadsMustCoverTheLanes() throws {
    #expect(
      try refusal(["--lanes", "4", "--max-threads", "4"])
        == "heddle: --max-threads '4': must be at least lanes + 1 = 5")
    #expect(
      try refusal(["--min-threads", "4", "--lanes", "4"])
        == "heddle: --min-threads '4': must be at least lanes + 1 = 5")
    #expect(try options(["--lanes", "4", "--min-threads", "5", "--max-threads", "5"]).leastThreads == 5)
  }

  @Test func theMinimumMustNotExceedTheMaximum() throws {
    #expect(
      try refusal(["--min-threads", "65"]) == "heddle: --min-threads '65': must be at most --max-threads = 64"
    )
    #expect(
      try refusal(["--max-threads", "8", "--min-threads", "9"])
        == "heddle: --min-threads '9': must be at most --max-threads = 8")
  }

  @Test func theShedIntervalCoversTheTarget() throws {
    #expect(
      try refusal(["--shed-target", "200ms"])
        == "heddle: --shed-interval '100ms': must be at least --shed-target = 200ms")
    #expect(try options(["--shed-target", "200ms", "--shed-interval", "200ms"]).shedTarget == .milliseconds(200))
  }

  @Test(arguments: ["127.0.0.1", "127.9.8.7", "::1", "[::1]", "0:0::1", "::ffff:127.0.0.1", "localhost"])
  func labRoutesAreThereOnLoopback(host: String) throws {
    #expect(try options(["--host", host]).labIsOn)
    #expect(try !options(["--host", host, "--no-lab"]).labIsOn)
  }

  @Test(arguments: [
    "0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "::2", "::ffff:10.0.0.1", "localhost.example", "127",
  ])
  func labRoutesAreNotThereElsewhere(host: String) throws {
    #expect(try !options(["--host", host]).labIsOn)
    #expect(try options(["--host", host, "--lab"]).labIsOn)
  }

  @Test func aPublicFolderMustBeThere() throws {
    #expect(ServeOptions().publicFolderProblem() == nil)
    #expect(try options(["--public", "/"]).publicFolderProblem() == nil)
    #expect(
      try options(["--public", "/no/such/folder"]).publicFolderProblem()
        == "heddle: --public '/no/such/folder': cannot be read (No such file or directory); "
        + "allowed: a readable folder"
    )
    #expect(
      try options(["--public", "/dev/null"]).publicFolderProblem()?.contains("Not a directory") == true)
  }

  @Test func processVariablesAreRead() {
    #expect(CommandLineParser.processVariable("PATH") == getenv("PATH").map { String(cString: $0) })
    #expect(CommandLineParser.processVariable("HEDDLE_NO_SUCH_VARIABLE") == nil)
  }

  @Test func levelsAreOrdered() {
    #expect(LogLevel.allCases == LogLevel.allCases.sorted())
    #expect(LogLevel.debug < .info && LogLevel.info < .warning && LogLevel.warning < .error)
  }
}
