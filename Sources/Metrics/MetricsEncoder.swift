/// Writes families in one of the two formats; how they differ is said in ``Dialect``.
struct MetricsEncoder {
  /// What distinguishes the formats in the lines of one sample.
  struct Dialect: Sendable {
    /// Whether help texts escape the quotation mark too.
    let escapesQuotesInHelp: Bool
    /// How the bound of a bucket is written.
    let bound: @Sendable (Double) -> String
  }

  let dialect: Dialect
  private(set) var text = MetricText()
  /// The bounds that were written last, each ready as `le="0.5"} `: one family's histograms mostly share them.
  private var bounds: [Double] = []
  private var boundTexts: [[UInt8]] = []

  init(_ dialect: Dialect, for families: [MetricFamily]) {
    self.dialect = dialect
    text.reserve(families.reduce(0) { $0 + $1.approximateTextSize })
  }

  mutating func comment(_ keyword: String, _ name: String, _ rest: String) {
    text.append("# \(keyword) \(name) \(rest)\n")
  }

  mutating func help(_ name: String, _ help: String) {
    text.append("# HELP \(name) ")
    text.append(escaping: help, quotes: dialect.escapesQuotesInHelp)
    text.append("\n" as Unicode.Scalar)
  }

  mutating func line(_ line: String) { text.append(line + "\n") }

  mutating func samples(of family: MetricFamily) {
    for sample in family.samples {
      let labels = Self.labels(sample.labels)
      switch sample.value {
      case .histogram(let histogram): append(histogram, family.name, labels)
      case .number(let number): append(family.name, labels) { $0.append(number) }
      case .integer(let number): append(family.name, labels) { $0.append(number) }
      case .unsigned(let number): append(family.name, labels) { $0.append(number) }
      }
    }
  }

  /// `a="1",b="2"`, without the braces.
  private static func labels(_ labels: [(String, String)]) -> [UInt8] {
    var text = MetricText()
    for (index, label) in labels.enumerated() {
      if index > 0 { text.append("," as Unicode.Scalar) }
      text.append(label.0)
      text.append("=\"")
      text.append(escaping: label.1, quotes: true)
      text.append("\"" as Unicode.Scalar)
    }
    return text.bytes
  }

  private mutating func append(_ name: String, _ labels: [UInt8], _ value: (inout MetricText) -> Void) {
    text.append(name)
    if !labels.isEmpty {
      text.append("{" as Unicode.Scalar)
      text.append(labels)
      text.append("}" as Unicode.Scalar)
    }
    text.append(" " as Unicode.Scalar)
    value(&text)
    text.append("\n" as Unicode.Scalar)
  }

  private mutating func append(_ histogram: HistogramSnapshot, _ name: String, _ labels: [UInt8]) {
    prepareBounds(histogram.bounds)
    // All bucket lines of a sample begin alike.
    var start = MetricText()
    start.append(name)
    start.append("_bucket{")
    start.append(labels)
    if !labels.isEmpty { start.append("," as Unicode.Scalar) }
    var cumulative: UInt64 = 0
    for (bound, count) in zip(boundTexts, histogram.counts) {
      cumulative &+= count
      text.append(start.bytes)
      text.append(bound)
      text.append(cumulative)
      text.append("\n" as Unicode.Scalar)
    }
    append(name + "_sum", labels) { $0.append(histogram.sum) }
    append(name + "_count", labels) { $0.append(cumulative) }
  }

  private mutating func prepareBounds(_ new: [Double]) {
    if new == bounds, !boundTexts.isEmpty { return }
    bounds = new
    boundTexts = (new + [.infinity]).map { Array("le=\"\(dialect.bound($0))\"} ".utf8) }
  }
}

extension MetricFamily {
  /// About how many bytes the family takes as text; rather too many.
  fileprivate var approximateTextSize: Int {
    samples.reduce(300 + help.utf8.count) { size, sample in
      var lines = 1
      if case .histogram(let histogram) = sample.value { lines = histogram.counts.count + 2 }
      let labels = sample.labels.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + 4 }
      return size + lines * (name.utf8.count + labels + 40)
    }
  }
}
