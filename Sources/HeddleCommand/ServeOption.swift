/// One option of `heddle serve`. Parsing, the environment, `--help` and the messages are all driven by these.
struct ServeOption: Sendable {
  /// How the option is written on the command line.
  enum Form: Equatable, Sendable {
    /// `--name VALUE` or `--name=VALUE`; the word stands for the value in `--help`.
    case value(String)

    /// `--name` or `--no-name`; in the environment, `on` or `off`.
    case toggle
  }

  /// The name without its dashes, such as `idle-timeout`.
  var name: String

  /// Whether it takes a value.
  var form: Form

  /// The default as `--help` shows it.
  var defaultText: String

  /// What it means, in a line.
  var help: String

  /// Checks the text and stores its value.
  var apply: @Sendable (inout ServeOptions, String) throws(ValueProblem) -> Void

  /// The option as it is written, such as `--idle-timeout`.
  var flag: String { "--" + name }

  /// The environment variable that stands in for the flag, such as `HEDDLE_IDLE_TIMEOUT`.
  var variable: String {
    "HEDDLE_" + String(name.map { $0 == "-" ? "_" : Character($0.uppercased()) })
  }
}

/// The kinds of option. Each takes its default from `ServeOptions`, so that no default is written twice.
extension ServeOption {
  /// Where a value of an option is kept.
  typealias Place<Value> = any WritableKeyPath<ServeOptions, Value> & Sendable

  /// A whole number in a range.
  static func integer(
    _ name: String, _ place: Place<Int>, _ range: ClosedRange<Int>, zero: String? = nil, help: String
  ) -> ServeOption {
    ServeOption(name: name, form: .value("N"), defaultText: "\(ServeOptions()[keyPath: place])", help: help) {
      (options, text) throws(ValueProblem) in
      options[keyPath: place] = try number(text, range, zero: zero)
    }
  }

  /// The number in the text, if it is in the range or the 0 that has a meaning of its own.
  static func number(
    _ text: String, _ range: ClosedRange<Int>, zero: String? = nil
  ) throws(ValueProblem) -> Int {
    if let value = ValueText.integer(text), range.contains(value) || (value == 0 && zero != nil) {
      return value
    }
    throw ValueProblem(allowed: "allowed: \(zeroText(zero))\(range.lowerBound) to \(range.upperBound)")
  }

  /// A number of bytes in a range.
  static func size(
    _ name: String, _ place: Place<Int>, _ range: ClosedRange<Int>, help: String
  ) -> ServeOption {
    let defaultText = ValueText.text(ofSize: ServeOptions()[keyPath: place])
    return ServeOption(name: name, form: .value("SIZE"), defaultText: defaultText, help: help) {
      (options, text) throws(ValueProblem) in
      guard let value = ValueText.size(text), range.contains(value) else {
        let (least, most) = (
          ValueText.text(ofSize: range.lowerBound), ValueText.text(ofSize: range.upperBound)
        )
        throw ValueProblem(allowed: "allowed: \(least) to \(most), in bytes or as 64KiB, 1MiB")
      }
      options[keyPath: place] = value
    }
  }

  /// A span of time in a range.
  static func duration(
    _ name: String, _ place: Place<Duration>, _ range: ClosedRange<Duration>, zero: String? = nil,
    help: String
  ) -> ServeOption {
    let defaultText = ValueText.text(ofDuration: ServeOptions()[keyPath: place])
    return ServeOption(name: name, form: .value("TIME"), defaultText: defaultText, help: help) {
      (options, text) throws(ValueProblem) in
      let value = ValueText.duration(text)
      guard let value, range.contains(value) || (value == .zero && zero != nil) else {
        let least = ValueText.text(ofDuration: range.lowerBound)
        let most = ValueText.text(ofDuration: range.upperBound)
        throw ValueProblem(allowed: "allowed: \(zeroText(zero))\(least) to \(most), as 250ms, 30s, 5m")
      }
      options[keyPath: place] = value
    }
  }

  /// The words for a 0 that has a meaning of its own, to stand before a range.
  private static func zeroText(_ zero: String?) -> String {
    zero.map { "0 (\($0)) or " } ?? ""
  }
}
