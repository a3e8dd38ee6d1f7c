/// Finds what somebody meant who made a typing mistake.
enum Suggestion {
  /// The candidate closest to the text, or nil where none is close. Texts that start a candidate count as
  /// close.
  static func closest(to text: String, among candidates: [String]) -> String? {
    let scored = candidates.map { (name: $0, distance: distance(text, $0)) }
    if let best = scored.min(by: { $0.distance < $1.distance }), best.distance <= max(1, best.name.count / 4) {
      return best.name
    }
    // Three characters after the dashes say enough to start from.
    guard text.count >= 5 else { return nil }
    return candidates.first { $0.hasPrefix(text) }
  }

  /// How many characters must be put in, left out, replaced, or swapped with their neighbour to get from one
  /// text to the other (optimal string alignment).
  static func distance(_ from: String, _ to: String) -> Int {
    let (a, b) = (Array(from.unicodeScalars.prefix(64)), Array(to.unicodeScalars.prefix(64)))
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, beforeLast[j - 1] + 1) }
        row.append(best)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
