/// Prometheus' text format 0.0.4.
package enum PrometheusEncoder {
  /// The media type to answer with.
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// Writes the families in the order given. A pure function: may be called from any thread. No two families may have one
  /// name, and no two samples of a family the same labels.
  package static func encode(_ families: [MetricFamily]) -> [UInt8] {
    var encoder = MetricsEncoder(dialect, for: families)
    for family in families {
      encoder.help(family.name, family.help)
      encoder.comment("TYPE", family.name, family.type.rawValue)
      encoder.samples(of: family)
    }
    return encoder.text.bytes
  }

  private static let dialect = MetricsEncoder.Dialect(escapesQuotesInHelp: false) { bound in
    var text = MetricText()
    text.append(bound)
    return String(decoding: text.bytes, as: UTF8.self)
  }
}
