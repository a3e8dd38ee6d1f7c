import FoundationEssentials
import HTTPMessages
import WorkerPool

/// The body of `PATCH /api/pool`: an object with any of `minThreads`, `maxThreads` (whole numbers) and `idleTimeout` (seconds).
/// What is left out stays as it is. RFC 7396 names this form JSON Merge Patch; `null` means nothing here.
struct PoolPatch {
  private var minThreads: Int?
  private var maxThreads: Int?
  private var idleTimeout: Double?

  /// Reads a body.
  ///
  /// - Throws: `HTTPError` with 400 and every reason at once, so that a caller need not find them one by one.
  init(_ body: [UInt8]) throws(HTTPError) {
    let members: [String: Member]
    do {
      members = try JSONDecoder().decode([String: Member].self, from: Data(body))
    } catch {
      throw HTTPError(.badRequest, "the body must be a JSON object such as {\"maxThreads\":32}")
    }
    var problems: [String] = []
    for (name, member) in members.sorted(by: { $0.key < $1.key }) {
      switch (name, member) {
      case ("minThreads", .number(let number)): minThreads = PoolPatch.whole(name, number, &problems)
      case ("maxThreads", .number(let number)): maxThreads = PoolPatch.whole(name, number, &problems)
      case ("idleTimeout", .number(let seconds)):
        if (0.01...86_400).contains(seconds) {
          idleTimeout = seconds
        } else {
          problems.append("idleTimeout is \(seconds), but must be from 0.01 to 86400 seconds")
        }
      case ("minThreads", .other), ("maxThreads", .other), ("idleTimeout", .other):
        problems.append("\(name) must be a number")
      default: problems.append("\(name) cannot be changed; allowed: minThreads, maxThreads, idleTimeout")
      }
    }
    if members.isEmpty { problems.append("nothing to change; allowed: minThreads, maxThreads, idleTimeout") }
    if !problems.isEmpty { throw HTTPError(.badRequest, problems.joined(separator: "; ")) }
  }

  /// The limits with what the patch says.
  func applied(to limits: PoolLimits) -> PoolLimits {
    var limits = limits
    if let minThreads { limits.minThreads = minThreads }
    if let maxThreads { limits.maxThreads = maxThreads }
    if let idleTimeout { limits.idleTimeout = .nanoseconds(Int64(idleTimeout * 1e9)) }
    return limits
  }

  private static func whole(_ name: String, _ number: Double, _ problems: inout [String]) -> Int? {
    if let whole = Int(exactly: number), (1...PoolLimits.most).contains(whole) { return whole }
    problems.append("\(name) is \(number), but must be a whole number from 1 to \(PoolLimits.most)")
    return nil
  }

  /// A member's value, as far as it matters.
  private enum Member: Decodable {
    case number(Double)
    case other

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else {
        self = .other
      }
    }
  }
}
