/// Why the text given for an option is not a value of it.
struct ValueProblem: Error, Equatable {
  /// What is allowed, to follow the option and its text in one line.
  var allowed: String
}

/// The one line that is written when the command line cannot be understood.
enum UsageLine {
  /// Names what was given and says what is allowed. It is one line whatever the text holds.
  static func make(_ option: String, _ text: String, _ allowed: String) -> String {
    "heddle: \(option) \(quoted(text)): \(allowed)"
  }

  /// The text between quotes, cut where it is long, with its control characters escaped.
  static func quoted(_ text: String) -> String {
    var result = "'"
    for scalar in text.unicodeScalars.prefix(80) {
      let isControl =
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
        || (0x2028...0x2029).contains(scalar.value)
      if isControl {
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    if text.unicodeScalars.count > 80 { result += "…" }
    return result + "'"
  }
}
