/// What sort of figure a metric is.
package enum MetricType: String, Sendable {
  /// A total that only grows while the process lives.
  case counter
  /// A level that goes up and down.
  case gauge
  /// How often something took how long.
  case histogram
}

/// One figure.
package enum MetricValue: Sendable {
  case number(Double)
  case integer(Int64)
  case unsigned(UInt64)
  case histogram(HistogramSnapshot)
}

/// One figure of a family, told from the others by its labels.
package struct MetricSample: Sendable {
  package let labels: [(String, String)]
  package let value: MetricValue

  /// - Parameter labels: pairs of name and value, in the order in which they are written. A name has letters, digits and
  ///   underscores and begins with no digit and not with two underscores, and stands once; a value may be any text.
  ///   A bad name is a programming error and ends the process.
  package init(labels: [(String, String)] = [], value: MetricValue) {
    for (index, label) in labels.enumerated() {
      precondition(isLabelName(label.0), "\"\(label.0)\" is not a label name")
      precondition(!labels[..<index].contains { $0.0 == label.0 }, "label \"\(label.0)\" stands twice")
    }
    self.labels = labels
    self.value = value
  }
}

/// All figures of one name.
package struct MetricFamily: Sendable {
  package let name: String
  package let help: String
  package let type: MetricType
  package let unit: String?
  package let samples: [MetricSample]

  /// Mistakes in the names are programming errors and end the process.
  /// - Parameters:
  ///   - name: the name as Prometheus' text format has it: a counter's, and only a counter's, ends with `_total`
  ///   - help: one sentence for people
  ///   - unit: the unit, where the name (without `_total`) ends with it: `seconds`, `bytes`
  ///   - samples: histograms where `type` is `.histogram`, plain figures otherwise
  package init(
    _ name: String, help: String, type: MetricType, unit: String? = nil, samples: [MetricSample]
  ) {
    precondition(isMetricName(name), "\"\(name)\" is not a metric name")
    precondition(
      name.hasSuffix("_total") == (type == .counter),
      "\"\(name)\": a counter, and nothing else, ends with _total")
    self.name = name
    self.help = help
    self.type = type
    self.unit = unit
    self.samples = samples
    if let unit {
      precondition(baseName.hasSuffix("_" + unit), "\"\(name)\" does not end with its unit \"\(unit)\"")
    }
    for sample in samples {
      if case .histogram = sample.value {
        precondition(type == .histogram, "\"\(name)\" is no histogram, but has one as a value")
        precondition(
          !sample.labels.contains { $0.0 == "le" }, "\"\(name)\": the label le is the histogram's own")
      } else {
        precondition(type != .histogram, "\"\(name)\" is a histogram, but has a plain value")
      }
    }
  }

  /// A family of one figure without labels.
  package init(_ name: String, help: String, type: MetricType, unit: String? = nil, value: MetricValue) {
    self.init(name, help: help, type: type, unit: unit, samples: [MetricSample(value: value)])
  }

  /// The name without a counter's `_total`: the family's name in OpenMetrics.
  var baseName: String { type == .counter ? String(name.dropLast("_total".utf8.count)) : name }
}

/// `[a-zA-Z_:][a-zA-Z0-9_:]*`
private func isMetricName(_ name: String) -> Bool {
  isName(name) { isLetterOrUnderscore($0) || $0 == UInt8(ascii: ":") }
}

/// `[a-zA-Z_][a-zA-Z0-9_]*`, and not the reserved `__…`
private func isLabelName(_ name: String) -> Bool {
  !name.hasPrefix("__") && isName(name, isLetterOrUnderscore)
}

private func isName(_ name: String, _ isStart: (UInt8) -> Bool) -> Bool {
  guard let first = name.utf8.first, isStart(first) else { return false }
  return name.utf8.allSatisfy { isStart($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
}

private func isLetterOrUnderscore(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
  default: false
  }
}
