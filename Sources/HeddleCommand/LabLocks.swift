import Heddle

/// Locks by name, to be fought over: `/lab/lock?name=&hold-us=`.
final class LabLocks: Sendable {
  /// Names are rows in `/api/locks` and label values in the metrics for as long as the process lives, so there is a bound.
  private static let most = 16
  private let locks = Locked<[String: Lock]>("lab.locks", [:])

  /// Takes the lock, holds it for a while, and lets it go.
  func hold(_ request: Request) throws -> Response {
    let name = request.query("name") ?? "demo"
    let microseconds = try request.query("hold-us", in: 0...10_000_000, default: 100)
    let lock = try lock(name)
    let asked = Deadline.now()
    let waited = lock.withLock {
      let waited = asked.duration(to: .now())
      LabTime.sleep(.microseconds(microseconds))
      return waited
    }
    return .text(
      "held \(name) for \(microseconds) µs after waiting \(waited.components.attoseconds / 1_000_000_000_000) µs\n")
  }

  private func lock(_ name: String) throws -> Lock {
    guard (1...32).contains(name.utf8.count), name.utf8.allSatisfy({ LabLocks.isAllowed($0) }) else {
      throw HTTPError(.badRequest, "name must be 1 to 32 letters, digits, dots, dashes or underscores")
    }
    return try locks.withLock { locks throws(HTTPError) in
      if let known = locks[name] { return known }
      guard locks.count < LabLocks.most else {
        throw HTTPError(.badRequest, "there are \(LabLocks.most) lab locks already: use one of them")
      }
      let new = Lock(name)
      locks[name] = new
      return new
    }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }
}
