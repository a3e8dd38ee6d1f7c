/// How fast a total grows of late, from the readings that are taken when somebody asks: nothing runs in between.
///
/// A pure value: who shares it guards it with a lock.
package struct RateWindow: Sendable {
  private struct Reading {
    let time: Int64
    let total: UInt64
  }

  private let length: Int64
  /// Ascending in time, and never more than a dozen or so: readings that come thick and fast are not all kept.
  private var readings: [Reading]

  /// - Parameters:
  ///   - startedAt: when the total was 0, in nanoseconds of the clock that is used for the calls
  ///   - seconds: how far back to look
  package init(startedAt: Int64, seconds: Int64 = 10) {
    length = seconds * 1_000_000_000
    readings = [Reading(time: startedAt, total: 0)]
  }

  /// Takes a reading and returns the growth per second since the reading before it that is nearest to the length of the
  /// window: the oldest inside it, unless that is too fresh to divide by; else the youngest before it. The first call
  /// so returns the average since the start.
  package mutating func perSecond(now: Int64, total: UInt64) -> Double {
    let base =
      readings.first { now - $0.time <= length && now - $0.time >= length / 20 }
      ?? readings.last { now - $0.time > length } ?? readings.first
    keep(Reading(time: now, total: total))
    guard let base, now > base.time, total > base.total else { return 0 }
    return Double(total - base.total) / (Double(now - base.time) / 1e9)
  }

  private mutating func keep(_ reading: Reading) {
    if let last = readings.last, reading.time - last.time < length / 10 { return }
    readings.append(reading)
    // Of those that have left the window, only the youngest can still be of use.
    while readings.count > 2, reading.time - readings[1].time > length { readings.removeFirst() }
  }
}
