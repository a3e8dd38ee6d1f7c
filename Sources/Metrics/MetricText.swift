/// What the two text formats have in common: bytes that grow, numbers, escapes.
struct MetricText {
  private(set) var bytes: [UInt8] = []

  /// Makes room at once: a text of some megabytes that doubles as it grows costs more in page faults than in writing.
  mutating func reserve(_ capacity: Int) { bytes.reserveCapacity(capacity) }

  mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func append(_ other: [UInt8]) { bytes.append(contentsOf: other) }

  mutating func append(_ character: Unicode.Scalar) { bytes.append(UInt8(ascii: character)) }

  /// Backslash and line feed are escaped everywhere; the quotation mark in label values, and in OpenMetrics everywhere.
  mutating func append(escaping text: String, quotes: Bool) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): append("\\\\")
      case UInt8(ascii: "\n"): append("\\n")
      case UInt8(ascii: "\"") where quotes: append("\\\"")
      default: bytes.append(byte)
      }
    }
  }

  /// Digits without the temporary string that `description` would make: most of a scrape consists of counts.
  mutating func append(_ number: UInt64) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var rest = number
      var start = digits.count
      repeat {
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      } while rest > 0
      bytes.append(contentsOf: digits[start...])
    }
  }

  mutating func append(_ number: Int64) {
    if number < 0 { append("-" as Unicode.Scalar) }
    append(number.magnitude)
  }

  /// The shortest digits that read back as the same number; whole numbers without a decimal point.
  mutating func append(_ number: Double) {
    if let whole = Int64(exactly: number), whole.magnitude < 1 << 53, number.sign == .plus || whole != 0 {
      append(whole)
    } else {
      append(metricDescription(number))
    }
  }
}

/// The shortest digits that read back as the same number, with `+Inf`, `-Inf` and `NaN` as both formats spell them.
func metricDescription(_ number: Double) -> String {
  if number.isNaN { return "NaN" }
  if number.isInfinite { return number < 0 ? "-Inf" : "+Inf" }
  return number.description
}
