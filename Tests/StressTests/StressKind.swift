/// What a client asks for while it stays to hear the answer.
enum StressKind: Int, CaseIterable, Sendable {
  case inline, short, head, high, low, sleep, limited, cpu, echo, chunked, tooLong, tooLongChunked, throwing, blob
  case missing, missingHead, wrongMethod

  /// How often it is chosen, among all.
  var weight: Int {
    switch self {
    case .inline: 2500
    case .short: 3000
    case .head, .missing, .high, .low: 400
    case .echo: 900
    case .chunked, .throwing: 300
    case .sleep, .wrongMethod: 200
    case .limited, .cpu, .tooLong, .tooLongChunked, .missingHead: 100
    case .blob: 30
    }
  }

  static let weights = allCases.reduce(0) { $0 + $1.weight }

  static func any(_ random: inout StressRandom) -> StressKind {
    var rest = random.below(weights)
    for kind in allCases {
      rest -= kind.weight
      if rest < 0 { return kind }
    }
    return .short
  }

  var method: String {
    switch self {
    case .head, .missingHead: "HEAD"
    case .echo, .chunked, .tooLong, .tooLongChunked: "POST"
    case .wrongMethod: "DELETE"
    default: "GET"
    }
  }

  /// The path, which is the route's pattern too.
  var path: String {
    switch self {
    case .inline: "/stay/inline"
    case .short, .head, .wrongMethod: "/stay/short"
    case .high: "/stay/high"
    case .low: "/stay/low"
    case .sleep: "/stay/sleep"
    case .limited: "/stay/limited"
    case .cpu: "/stay/cpu"
    case .echo, .chunked: "/stay/echo"
    case .tooLong, .tooLongChunked: "/stay/small"
    case .throwing: "/stay/throw"
    case .blob: "/stay/blob"
    case .missing, .missingHead: "/stay/nothing"
    }
  }

  /// The route's label in the server's figures.
  var label: String {
    switch self {
    case .missing, .missingHead, .wrongMethod: "unmatched"
    default: path
    }
  }

  /// The statuses that it may be answered with.
  var statuses: [Int] {
    switch self {
    case .inline: [200]
    case .short, .head, .high, .low, .sleep, .cpu, .echo, .chunked, .blob: [200, 503]
    case .limited: [200, 503, 504]
    case .tooLong, .tooLongChunked: [413]
    case .throwing: [500, 503]
    case .missing, .missingHead: [404]
    case .wrongMethod: [405]
    }
  }

  /// Whether the pool runs a handler for it.
  var hasHandler: Bool { statuses.contains(503) }

  var isHead: Bool { method == "HEAD" }
}

/// Counts per kind and status.
struct StressCounts: Sendable, Equatable {
  static let statuses = [200, 404, 405, 413, 500, 503, 504]
  private var counts = [Int](repeating: 0, count: StressKind.allCases.count * StressCounts.statuses.count)

  subscript(kind: StressKind, status: Int) -> Int {
    get { StressCounts.statuses.firstIndex(of: status).map { counts[kind.rawValue * 7 + $0] } ?? 0 }
    set {
      if let index = StressCounts.statuses.firstIndex(of: status) { counts[kind.rawValue * 7 + index] = newValue }
    }
  }

  var total: Int { counts.reduce(0, +) }

  func total(status: Int) -> Int { StressKind.allCases.reduce(0) { $0 + self[$1, status] } }

  mutating func add(_ other: StressCounts) {
    for index in counts.indices { counts[index] += other.counts[index] }
  }
}
