/// The OpenMetrics text format 1.0.0.
package enum OpenMetricsEncoder {
  /// The media type to answer with.
  package static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

  /// Writes the families in the order given, and the end mark. A pure function: may be called from any thread. No two
  /// families may have one name, and no two samples of a family the same labels.
  package static func encode(_ families: [MetricFamily]) -> [UInt8] {
    var encoder = MetricsEncoder(dialect, for: families)
    for family in families {
      encoder.comment("TYPE", family.baseName, family.type.rawValue)
      if let unit = family.unit { encoder.comment("UNIT", family.baseName, unit) }
      encoder.help(family.baseName, family.help)
      encoder.samples(of: family)
    }
    encoder.line("# EOF")
    return encoder.text.bytes
  }

  private static let dialect = MetricsEncoder.Dialect(escapesQuotesInHelp: true, bound: canonicalBound)

  /// The canonical form that the specification wants of `le`, so that the label stays the same whoever writes it: as Go's
  /// `%g` has it, with a decimal point where there is no exponent.
  static func canonicalBound(_ bound: Double) -> String {
    let text = metricDescription(bound)
    guard bound >= 1e6, bound < 1e16, let point = text.firstIndex(of: ".") else { return text }
    let whole = text[..<point]
    var digits = String(whole) + text[text.index(after: point)...]
    while digits.count > 1, digits.last == "0" { digits.removeLast() }
    let exponent = whole.count - 1
    let first = digits.removeFirst()
    return "\(first)\(digits.isEmpty ? "" : "." + digits)e+\(exponent < 10 ? "0" : "")\(exponent)"
  }
}
