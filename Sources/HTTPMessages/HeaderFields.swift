/// Header fields in order. Several of one name are kept; names are compared without regard to case.
///
/// **Nothing here can split a response.** Names are tokens; values hold no CR, LF, NUL or other control byte but the
/// tab, and no blanks at their ends (RFC 9110 section 5.5). Two ways lead in:
/// - `add(name:value:)` and `set(name:value:)` throw a `HeaderError`: for what a client sent, where a refusal is due;
/// - the subscript, `add(_:_:)` and a dictionary literal never fail on a value: each forbidden byte becomes a space,
///   the repair that RFC 9110 section 5.5 names. A trap would be a poor answer there, since a client whose text
///   reaches a field could then cost the server a thread with each request. A *name* that is not a token does trap:
///   names stand in the program's text.
///
/// A value type; one field is kept in place, so the usual response with a `Content-Type` allocates nothing for it.
/// May be used from any thread.
public struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral {
  /// One field.
  public struct Field: Hashable, Sendable {
    /// The name as it was given.
    public let name: String
    /// The value, without control bytes.
    public let value: String
  }

  var first: Field?
  var rest: [Field] = []

  /// No fields.
  public init() {}

  /// The fields in the order of the literal; a repeated name adds a second field. Traps where a name is no token.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { add(name, value) }
  }

  /// The value of the first field of this name, or nil. Setting replaces all fields of the name with one, which takes
  /// the place of the first; nil removes them all. Forbidden bytes in the value become spaces; traps where the name is
  /// not a token (see the type's description).
  public subscript(name: String) -> String? {
    get { firstIndex(name).map { self[$0].value } }
    set {
      guard let newValue else { return remove(name) }
      put(Field(name: HeaderFields.trapping(name), value: HeaderFields.repaired(newValue)))
    }
  }

  /// All values of this name, in order.
  public func values(_ name: String) -> [String] {
    filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
  }

  /// Whether there is a field of this name.
  public func contains(_ name: String) -> Bool { firstIndex(name) != nil }

  /// Adds a field after the others. Forbidden bytes in the value become spaces; traps where the name is no token.
  public mutating func add(_ name: String, _ value: String) {
    append(Field(name: HeaderFields.trapping(name), value: HeaderFields.repaired(value)))
  }

  /// Adds a field after the others. Throws where the name is not a token or the value holds a control byte.
  public mutating func add(name: String, value: String) throws(HeaderError) {
    append(try HeaderFields.checked(name, value))
  }

  /// Replaces all fields of the name with one. Throws where the name is not a token or the value holds a control byte.
  public mutating func set(name: String, value: String) throws(HeaderError) {
    put(try HeaderFields.checked(name, value))
  }

  /// Removes all fields of this name.
  public mutating func remove(_ name: String) {
    rest.removeAll { $0.name.equalsIgnoringCase(name) }
    if let kept = first, kept.name.equalsIgnoringCase(name) {
      first = rest.isEmpty ? nil : rest.removeFirst()
    }
  }

  /// Adds a field whose name is a token and whose value was checked before: a literal, or what the head check passed.
  package mutating func add(trusted name: String, _ value: String) {
    append(Field(name: name, value: value))
  }
}

extension HeaderFields: RandomAccessCollection {
  /// The position of the first field.
  public var startIndex: Int { 0 }
  /// The position after the last field.
  public var endIndex: Int { first == nil ? 0 : rest.count + 1 }

  /// The field at a position. Traps outside `startIndex..<endIndex`.
  public subscript(position: Int) -> Field {
    if position == 0, let first { return first }
    return rest[position - 1]
  }
}

extension HeaderFields: Equatable {
  /// Whether both hold the same fields in the same order, names without regard to case.
  public static func == (a: HeaderFields, b: HeaderFields) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { $0.value == $1.value && $0.name.equalsIgnoringCase($1.name) }
  }
}
