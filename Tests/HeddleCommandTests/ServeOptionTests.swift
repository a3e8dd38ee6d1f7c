import Testing

@testable import HeddleCommand

@Suite("Table of options")
struct ServeOptionTests {
  @Test func namesAreUniqueAndWellFormed() {
    let names = ServeOption.all.map(\.name)
    #expect(Set(names).count == names.count)
    for option in ServeOption.all {
      #expect(option.name.allSatisfy { $0 == "-" || ("a"..."z").contains($0) })
      #expect(!option.name.hasPrefix("no-"), "would be taken for the opposite of a toggle")
      #expect(option.variable.allSatisfy { $0 == "_" || ("A"..."Z").contains($0) })
    }
  }

  /// The defaults that `--help` shows are the ones that are used: giving them all changes nothing.
  @Test func theDefaultsShownAreTheDefaultsUsed() throws {
    let inWords: Set = ["min-threads", "public", "lab"]
    let words = ServeOption.all.filter { !inWords.contains($0.name) }.flatMap { [$0.flag, $0.defaultText] }
    #expect(words.count == 2 * (ServeOption.all.count - inWords.count))
    #expect(try options(words) == ServeOptions())
  }

  @Test func helpShowsEveryOptionOnceInLinesThatFit() {
    let lines = HelpText.serve().split(separator: "\n")
    for option in ServeOption.all {
      let about = lines.filter { $0.hasPrefix("  \(HelpText.usage(of: option))  ") }
      #expect(about.count == 1)
      #expect(about.first?.contains(option.help) == true)
      #expect(about.first?.hasSuffix("[\(option.defaultText)]") == true)
    }
    #expect(lines.allSatisfy { $0.count <= 120 })
  }

  @Test(arguments: [
    ("--port", "0", "65535"), ("--lanes", "1", "63"), ("--min-threads", "2", "64"),
    ("--max-threads", "2", "10000"),
    ("--idle-timeout", "10ms", "24h"), ("--queue-limit", "1", "1000000"), ("--queue-deadline", "0", "1h"),
    ("--shed-target", "0", "100ms"), ("--shed-interval", "10ms", "10m"),
    ("--stack-size", "128KiB", "1GiB"), ("--max-connections", "1", "1000000"),
    ("--max-connections-per-ip", "0", "1000000"), ("--max-body", "0", "1GiB"),
    ("--max-header", "1KiB", "64KiB"),
    ("--connection-timeout", "0", "24h"), ("--connection-timeout", "1s", "24h"),
    ("--drain-timeout", "0", "1h"),
  ])
  func theEndsOfEachRangeAreAllowed(flag: String, least: String, most: String) throws {
    _ = try options([flag, least])
    _ = try options([flag, most])
  }

  @Test(arguments: [
    ("--port", "65536", "0 to 65535"), ("--port", "-1", "0 to 65535"), ("--port", "http", "0 to 65535"),
    ("--lanes", "0", "1 to 64"), ("--min-threads", "1", "2 to 10000"), ("--max-threads", "1", "2 to 10000"),
    ("--max-threads", "99999999999999999999", "2 to 10000"),
    ("--idle-timeout", "9ms", "10ms to 24h, as 250ms, 30s, 5m"),
    ("--idle-timeout", "0", "10ms to 24h, as 250ms, 30s, 5m"),
    ("--idle-timeout", "30", "10ms to 24h, as 250ms, 30s, 5m"),
    ("--queue-limit", "0", "1 to 1000000"),
    ("--queue-deadline", "2h", "0 (off) or 1ms to 1h, as 250ms, 30s, 5m"),
    ("--stack-size", "127KiB", "128KiB to 1GiB, in bytes or as 64KiB, 1MiB"),
    ("--shed-target", "61s", "0 (off) or 1ms to 60s, as 250ms, 30s, 5m"),
    ("--shed-interval", "0", "10ms to 10m, as 250ms, 30s, 5m"),
    ("--max-connections", "0", "1 to 1000000"), ("--max-connections-per-ip", "-1", "0 (off) or 1 to 1000000"),
    ("--max-body", "2GiB", "0 to 1GiB, in bytes or as 64KiB, 1MiB"),
    ("--max-header", "1023", "1KiB to 64KiB, in bytes or as 64KiB, 1MiB"),
    ("--max-header", "65537", "1KiB to 64KiB, in bytes or as 64KiB, 1MiB"),
    ("--connection-timeout", "99ms", "0 (off) or 100ms to 24h, as 250ms, 30s, 5m"),
    ("--drain-timeout", "61m", "0 to 1h, as 250ms, 30s, 5m"),
    ("--host", "", "an address or a host name"), ("--host", "a b", "an address or a host name"),
    ("--public", "", "a folder"), ("--log-level", "loud", "debug, info, warning, error"),
  ])
  func whatIsBeyondIsRefusedWithTheRange(flag: String, text: String, allowed: String) throws {
    #expect(try refusal([flag, text]) == "heddle: \(flag) '\(text)': allowed: \(allowed)")
  }
}
