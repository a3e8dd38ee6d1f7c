/// The text forms of option values: from text, and back to text for `--help`.
enum ValueText {
  private static let sizeUnits: [(name: String, factor: Int)] = [
    ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10),
  ]

  private static let durationUnits: [(name: String, milliseconds: Int)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000),
  ]

  /// Decimal digits and nothing else; nil also where the number does not fit.
  static func integer(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  /// Bytes, as `4096`, `64KiB`, `1MiB` or `1GiB`.
  static func size(_ text: String) -> Int? {
    guard let unit = sizeUnits.first(where: { text.hasSuffix($0.name) }) else { return integer(text) }
    return product(text.dropLast(unit.name.count), unit.factor)
  }

  /// The shortest exact form of a number of bytes.
  static func text(ofSize bytes: Int) -> String {
    guard bytes > 0, let unit = sizeUnits.first(where: { bytes % $0.factor == 0 }) else { return "\(bytes)" }
    return "\(bytes / unit.factor)\(unit.name)"
  }

  /// A span of time, as `250ms`, `30s`, `5m`, `1h` or `0`.
  static func duration(_ text: String) -> Duration? {
    if text == "0" { return .zero }
    let digits = text.prefix { ("0"..."9").contains($0) }
    let unitName = text[digits.endIndex...]
    guard let unit = durationUnits.first(where: { $0.name == unitName }) else { return nil }
    return product(digits, unit.milliseconds).map { .milliseconds($0) }
  }

  /// The form of a span of time with the largest unit that divides it, but `60s` in place of `1m`.
  static func text(ofDuration duration: Duration) -> String {
    let parts = duration.components
    let milliseconds = Int(parts.seconds) * 1000 + Int(parts.attoseconds / 1_000_000_000_000_000)
    if milliseconds == 0 { return "0" }
    let unit = durationUnits.last { unit in
      milliseconds % unit.milliseconds == 0 && (unit.name != "m" || milliseconds > unit.milliseconds)
    }
    guard let unit else { return "\(milliseconds)ms" }
    return "\(milliseconds / unit.milliseconds)\(unit.name)"
  }

  /// The number in the digits times the factor; nil where the digits are none or the product does not fit.
  private static func product(_ digits: some StringProtocol, _ factor: Int) -> Int? {
    guard let number = integer(digits) else { return nil }
    let (value, overflow) = number.multipliedReportingOverflow(by: factor)
    return overflow ? nil : value
  }
}
