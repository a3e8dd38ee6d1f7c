import Testing

@testable import HeddleCommand

@Suite("Values of options as text")
struct ValueTextTests {
  @Test(arguments: [
    ("0", Duration.zero), ("0s", .zero), ("1ms", .milliseconds(1)), ("250ms", .milliseconds(250)),
    ("30s", .seconds(30)), ("5m", .seconds(300)), ("1h", .seconds(3600)), ("007s", .seconds(7)),
  ])
  func durations(text: String, expected: Duration) {
    #expect(ValueText.duration(text) == expected)
  }

  @Test(arguments: [
    "", "s", "ms", "30", "1", "-1s", "+1s", "1 s", " 1s", "1s ", "1.5s", "1S", "1sec", "1m30s", "0x1s", "١s",
    "9223372036854775807m", "99999999999999999999ms",
  ])
  func textThatIsNoDuration(text: String) {
    #expect(ValueText.duration(text) == nil)
  }

  @Test(arguments: [
    ("0", 0), ("4096", 4096), ("64KiB", 65_536), ("1MiB", 1_048_576), ("2GiB", 2_147_483_648), ("0KiB", 0),
  ])
  func sizes(text: String, expected: Int) {
    #expect(ValueText.size(text) == expected)
  }

  @Test(arguments: [
    "", "KiB", "64KB", "64K", "64k", "64kib", "-1", "+1", "1.5MiB", "64 KiB", "1MiBKiB",
    "9007199254740992GiB",
    "99999999999999999999",
  ])
  func textThatIsNoSize(text: String) {
    #expect(ValueText.size(text) == nil)
  }

  @Test(arguments: ["0", "1ms", "250ms", "1s", "30s", "60s", "90s", "5m", "1h", "90m", "24h"])
  func durationsAreShownAsTheyWouldBeWritten(text: String) throws {
    #expect(ValueText.text(ofDuration: try #require(ValueText.duration(text))) == text)
  }

  @Test(arguments: ["0", "1", "1023", "1KiB", "14KiB", "512KiB", "1MiB", "1GiB", "1500KiB"])
  func sizesAreShownAsTheyWouldBeWritten(text: String) throws {
    #expect(ValueText.text(ofSize: try #require(ValueText.size(text))) == text)
  }
}
