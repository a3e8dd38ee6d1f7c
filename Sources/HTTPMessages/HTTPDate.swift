import Glibc

/// A moment as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate, RFC 9110 section 5.6.7).
///
/// The calendar is computed here: `gmtime_r` takes a lock, and `strftime` speaks the language of the locale. May be used from any thread.
package struct HTTPDate: Sendable, Hashable {
  /// Seconds since 1970.
  package let seconds: Int64
  /// Nanoseconds until the next second begins, for a date that was taken from the clock.
  package let nanosecondsLeft: Int64

  /// The date of a moment, in seconds since 1970.
  package init(seconds: Int64) {
    self.seconds = seconds
    nanosecondsLeft = 0
  }

  private init(_ time: timespec) {
    seconds = Int64(time.tv_sec)
    nanosecondsLeft = 1_000_000_000 - Int64(time.tv_nsec)
  }

  /// The date now.
  package static func current() -> HTTPDate {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return HTTPDate(time)
  }

  /// The text.
  package var text: String {
    let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let time = seconds - day * 86_400
    let date = HTTPDate.civil(day)
    // 1970 began on a Thursday.
    let weekday = Int(((day + 4) % 7 + 7) % 7)
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let year = String(repeating: "0", count: max(0, 4 - "\(date.year)".utf8.count)) + "\(date.year)"
    return "\(HTTPDate.days[weekday]), \(two(date.day)) \(HTTPDate.months[Int(date.month) - 1]) \(year) "
      + "\(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60)) GMT"
  }

  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// The date of a day since 1970: after Howard Hinnant, chrono-Compatible Low-Level Date Algorithms. Years begin in March there, so
  /// that the leap day is the last one, and 400 of them always have 146,097 days.
  private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let part = (5 * dayOfYear + 2) / 153
    let month = part < 10 ? part + 3 : part - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
  }
}
