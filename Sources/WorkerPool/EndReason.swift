/// Why a worker ended.
package enum EndReason: String, Sendable, CaseIterable {
  /// It was idle for the idle time, and there were more than the minimum.
  case idle
  /// The maximum was lowered below the number of threads.
  case aboveMaximum = "above_maximum"
  /// The pool was drained.
  case drained
}

/// How many workers ended, by reason.
package struct EndCounts: Sendable, Equatable {
  private var counts = [UInt64](repeating: 0, count: EndReason.allCases.count)

  package init() {}

  /// The number for one reason.
  package subscript(reason: EndReason) -> UInt64 {
    get { counts[EndCounts.index(reason)] }
    set { counts[EndCounts.index(reason)] = newValue }
  }

  /// The number for all reasons.
  package var total: UInt64 { counts.reduce(0, +) }

  private static func index(_ reason: EndReason) -> Int {
    switch reason {
    case .idle: 0
    case .aboveMaximum: 1
    case .drained: 2
    }
  }
}
