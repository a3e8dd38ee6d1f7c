/// Reads `/metrics` and says what is wrong with it: the rules of Prometheus' text format 0.0.4 and of OpenMetrics 1.0 that a
/// scraper would stumble over.
struct MetricsText {
  struct Sample {
    var name: String
    /// In the order of the text.
    var labels: [(name: String, value: String)]
    var value: Double

    func label(_ name: String) -> String? { labels.first { $0.name == name }?.value }
    /// All labels but one, as a key.
    func key(without name: String) -> String {
      labels.filter { $0.name != name }.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: ",")
    }
  }

  private(set) var samples: [Sample] = []
  private(set) var types: [String: String] = [:]
  private(set) var problems: [String] = []
  private let isOpenMetrics: Bool
  /// Families in the order of their first line: each must be in one piece.
  private var families: [String] = []
  private var helps: Set<String> = []

  init(_ text: String, isOpenMetrics: Bool) {
    self.isOpenMetrics = isOpenMetrics
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.popLast() != "" { problems.append("the last line has no end") }
    if isOpenMetrics, lines.popLast() != "# EOF" { problems.append("no # EOF") }
    for line in lines { read(line) }
    var seen: Set<String> = []
    for sample in samples where !seen.insert("\(sample.name){\(sample.key(without: ""))}").inserted {
      problems.append("\(sample.name) has two samples with the same labels")
    }
    for (family, type) in types where type == "histogram" { checkHistogram(family) }
  }

  /// The value of the one sample with this name and these labels among others.
  func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
    let found = samples.filter { sample in
      sample.name == name && labels.allSatisfy { sample.label($0.key) == $0.value }
    }
    return found.count == 1 ? found[0].value : nil
  }

  private mutating func read(_ line: String) {
    guard line.hasPrefix("#") else { return readSample(line) }
    let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
    guard words.count == 4, words[0] == "#", MetricsText.isName(words[2]) else {
      return problems.append("“\(line)” is no line of this format")
    }
    switch words[1] {
    case "HELP":
      if !helps.insert(words[2]).inserted { problems.append("two HELP lines for \(words[2])") }
      enter(words[2])
    case "TYPE":
      if types.updateValue(words[3], forKey: words[2]) != nil { problems.append("two TYPE lines for \(words[2])") }
      if !["counter", "gauge", "histogram"].contains(words[3]) { problems.append("type \(words[3])") }
      enter(words[2])
    case "UNIT" where isOpenMetrics:
      if !words[2].hasSuffix("_" + words[3]) { problems.append("\(words[2]) does not end in its unit \(words[3])") }
      enter(words[2])
    default: problems.append("“\(line)” is no line of this format")
    }
  }

  private mutating func enter(_ family: String) {
    if families.last == family { return }
    if families.contains(family) { problems.append("\(family) is not in one piece") }
    families.append(family)
  }

  private mutating func readSample(_ line: String) {
    var rest = Substring(line)
    let name = String(rest.prefix { $0 != "{" && $0 != " " })
    rest = rest.dropFirst(name.count)
    var labels: [(name: String, value: String)] = []
    if rest.first == "{" {
      guard let found = MetricsText.labels(&rest) else { return problems.append("labels of “\(line)”") }
      labels = found
    }
    let text = rest.dropFirst()
    let number = text == "+Inf" ? Double.infinity : Double(text)
    guard MetricsText.isName(name), rest.first == " ", let value = number else {
      return problems.append("“\(line)” is no sample")
    }
    if labels.contains(where: { !MetricsText.isName($0.name) || $0.name.contains(":") }) {
      problems.append("label name in “\(line)”")
    }
    samples.append(Sample(name: name, labels: labels, value: value))
    guard let family = family(of: name), let type = types[family] else {
      return problems.append("\(name) comes before its TYPE")
    }
    if family != families.last { problems.append("\(name) stands in the family of \(families.last ?? "nothing")") }
    if type == "counter" {
      if !name.hasSuffix("_total") { problems.append("the counter \(name) does not end in _total") }
      if value < 0 { problems.append("the counter \(name) is negative") }
    }
  }

  private func family(of name: String) -> String? {
    if types[name] != nil { return name }
    for suffix in ["_bucket", "_sum", "_count", "_total"] where name.hasSuffix(suffix) {
      let base = String(name.dropLast(suffix.count))
      switch types[base] {
      case "histogram" where suffix != "_total": return base
      case "counter" where suffix == "_total" && isOpenMetrics: return base
      default: continue
      }
    }
    return nil
  }

  private mutating func checkHistogram(_ family: String) {
    let buckets = Dictionary(grouping: samples.filter { $0.name == family + "_bucket" }) { $0.key(without: "le") }
    for (key, row) in buckets {
      let bounds = row.compactMap { sample in sample.label("le").map { $0 == "+Inf" ? .infinity : Double($0) ?? .nan } }
      if bounds.count != row.count || bounds != bounds.sorted() || bounds.last != .infinity {
        problems.append("bounds of \(family){\(key)}")
      }
      if row.map(\.value) != row.map(\.value).sorted() { problems.append("\(family){\(key)} does not rise") }
      let counts = samples.filter { $0.name == family + "_count" && $0.key(without: "") == key }
      if counts.count != 1 || counts[0].value != row.last?.value { problems.append("count of \(family){\(key)}") }
      let sums = samples.filter { $0.name == family + "_sum" && $0.key(without: "") == key }
      if sums.count != 1 || sums[0].value < 0 { problems.append("sum of \(family){\(key)}") }
    }
  }

  private static func labels(_ rest: inout Substring) -> [(name: String, value: String)]? {
    var labels: [(name: String, value: String)] = []
    rest = rest.dropFirst()
    while rest.first != "}" {
      let name = String(rest.prefix { $0 != "=" })
      rest = rest.dropFirst(name.count)
      guard rest.hasPrefix("=\"") else { return nil }
      rest = rest.dropFirst(2)
      var value = ""
      while let character = rest.popFirst(), character != "\"" {
        guard character == "\\" else {
          value.append(character)
          continue
        }
        guard let escaped = rest.popFirst(), "\\\"n".contains(escaped) else { return nil }
        value.append(escaped == "n" ? "\n" : escaped)
      }
      labels.append((name, value))
      if rest.first == "," { rest = rest.dropFirst() } else if rest.first != "}" { return nil }
    }
    rest = rest.dropFirst()
    return labels
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy { byte in
      (0x30...0x3A).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
    }
  }
}
