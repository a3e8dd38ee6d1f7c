/// Why a header field was refused.
public struct HeaderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong. More kinds may be added.
  public struct Code: Hashable, Sendable {
    let text: String
    /// The name is empty or holds a byte that no token may hold.
    public static let invalidName = Code(text: "is not a token")
    /// The value holds CR, LF, NUL or another control byte: a way to split the response in two.
    public static let invalidValue = Code(text: "has a control byte in its value")
  }

  /// What was wrong.
  public let code: Code
  /// The name of the field in question, as given.
  public let name: String

  package init(code: Code, name: String) {
    self.code = code
    self.name = name
  }

  /// One line for a log; the name is quoted and escaped, the value is not repeated.
  public var description: String { "header field \(name.debugDescription) \(code.text)" }
}
