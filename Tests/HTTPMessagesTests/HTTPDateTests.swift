import Glibc
import HTTPMessages
import Testing

@Suite struct HTTPDateTests {
  @Test(
    arguments: [
      // The example of RFC 9110 section 5.6.7, and the ends of months, leap years and centuries.
      (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
      (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
      (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ] as [(Int64, String)])
  func knownDates(seconds: Int64, text: String) { #expect(HTTPDate(seconds: seconds).text == text) }

  @Test func theSameAsTheCLibrary() {
    var numbers = SeededNumbers(seed: 7)
    for _ in 0..<2000 {
      let seconds = Int64.random(in: -2_000_000_000...8_000_000_000, using: &numbers)
      var time = time_t(seconds)
      var parts = tm()
      gmtime_r(&time, &parts)
      var buffer = [CChar](repeating: 0, count: 64)
      // The test's process has the locale "C", since it sets none.
      let count = strftime(&buffer, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
      let expected = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
      #expect(HTTPDate(seconds: seconds).text == expected)
    }
  }

  @Test func nowKnowsWhenItIsOver() {
    let date = HTTPDate.current()
    #expect(date.nanosecondsLeft > 0 && date.nanosecondsLeft <= 1_000_000_000)
    #expect(abs(date.seconds - Int64(time(nil))) <= 2)
  }
}
