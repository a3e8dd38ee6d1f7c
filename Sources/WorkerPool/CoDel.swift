/// Decides which items of a line that stands too long are shed: controlled delay (RFC 8289), asked about the line's head at every look.
///
/// A queue that empties now and then does its work: it evens bursts out. One whose head has waited longer than the target at every look
/// for a whole interval is a standing queue: everybody waits, and nobody is served sooner for it. Then the head is shed, and further ones at
/// shorter and shorter distances (the interval divided by the square root of their number), until a head has waited less than the target.
///
/// That law was made for senders that slow down when they lose something. Clients of a server do not, or not soon; so, in addition, while
/// the line stands nobody waits longer than the interval. (Two limits, a long one and a short one under load: Maurer, Fail at Scale,
/// ACM Queue 13(8), 2015.)
struct CoDel: Sendable {
  /// How long the head may have waited, in nanoseconds.
  let target: Int64
  /// For how long the line may stand, in nanoseconds.
  let interval: Int64

  /// The line stands, and items are shed.
  private(set) var isShedding = false
  /// When the line counts as standing, if no head is found to have waited less until then.
  private var standsAt: Int64?
  /// When the next item is shed.
  private var next: Int64 = 0
  /// Items shed since the line began to stand, as far as the law counts them, …
  private var count: Int64 = 0
  /// … and what it was when that began.
  private var countAtStart: Int64 = 0

  init(target: Int64, interval: Int64) {
    self.target = target
    self.interval = interval
  }

  /// Whether the head of the line, which has waited so long, is to be shed now. To be asked about the next head until it says no.
  mutating func sheds(wait: Int64, now: Int64) -> Bool {
    guard wait >= target else {
      lineIsShort()
      return false
    }
    guard let standsAt else {
      standsAt = now &+ interval
      return false
    }
    guard now >= standsAt else { return false }
    guard isShedding else {
      begin(now)
      return true
    }
    if now >= next {
      count += 1
      next += step
      return true
    }
    return wait >= interval
  }

  /// The line is empty, or its head has not waited for long.
  mutating func lineIsShort() {
    standsAt = nil
    isShedding = false
  }

  private mutating func begin(_ now: Int64) {
    isShedding = true
    // Where it stood a short while ago the rate that was found then is taken up again.
    let found = count - countAtStart
    count = found > 1 && now &- next < 16 * interval ? found : 1
    countAtStart = count
    next = now &+ step
  }

  /// The distance to the next one.
  private var step: Int64 { Int64(Double(interval) / Double(count).squareRoot()) }
}
