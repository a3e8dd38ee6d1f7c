/// How soon an item is run, compared with others that wait.
///
/// The three share the workers by their weights while all of them wait; what one does not use is the others'. None starves:
/// see ``WorkQueue``.
package enum WorkPriority: UInt8, Sendable, CaseIterable {
  // In this order: the raw values are indices.
  case high, normal, low

  /// Of so many items, taken while all three priorities wait, how many are of this one: 16, 4 and 1 of 21.
  package var weight: Int {
    switch self {
    case .high: 16
    case .normal: 4
    case .low: 1
    }
  }

  /// The name in figures.
  package var name: String {
    switch self {
    case .high: "high"
    case .normal: "normal"
    case .low: "low"
    }
  }
}
