extension HeaderFields {
  func firstIndex(_ name: String) -> Int? { indices.first { self[$0].name.equalsIgnoringCase(name) } }

  mutating func append(_ field: Field) {
    if first == nil { first = field } else { rest.append(field) }
  }

  /// Replaces all fields of the name with this one, in the place of the first.
  mutating func put(_ field: Field) {
    guard let index = firstIndex(field.name) else { return append(field) }
    rest.removeAll { $0.name.equalsIgnoringCase(field.name) }
    if index == 0 { first = field } else { rest.insert(field, at: index - 1) }
  }

  /// The name; traps where it is not a token.
  static func trapping(_ name: String) -> String {
    guard name.withBytes(HeadSyntax.isToken) else {
      // fatalError and not precondition: only this prints its text in an optimised build too.
      fatalError(
        "\(HeaderError(code: .invalidName, name: name)); use add(name:value:) for names from outside")
    }
    return name
  }

  /// The value without blanks at its ends, and with a space for every byte that no value may hold.
  static func repaired(_ value: String) -> String {
    value.withBytes { bytes in
      let inner = bytes.trimmingBlanks
      if HeadSyntax.isFieldValue(inner) {
        return inner.count == bytes.count ? value : String(repairing: inner)
      }
      let clean = inner.map { ASCII.isForbiddenInValue($0) ? ASCII.space : $0 }
      return clean.withUnsafeBytes { String(repairing: $0.trimmingBlanks) }
    }
  }

  /// The field, or why it is refused.
  static func checked(_ name: String, _ value: String) throws(HeaderError) -> Field {
    guard name.withBytes(HeadSyntax.isToken) else { throw HeaderError(code: .invalidName, name: name) }
    guard value.withBytes(HeadSyntax.isFieldValue) else { throw HeaderError(code: .invalidValue, name: name) }
    return Field(name: name, value: repaired(value))
  }
}
