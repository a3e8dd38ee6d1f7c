extension RequestStorage {
  /// See ``RequestHead/addField(name:value:)``.
  package func addField(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    head.addField(name: name, value: value)
  }

  /// How many fields were added.
  package var fieldCount: Int { head.fieldCount }

  /// The field at an index below `fieldCount`, in the order of arrival.
  package func field(at index: Int) -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    head.field(at: index)
  }

  /// The value of the first field of this name, in any case, or nil. Nothing is copied.
  package func firstField(named name: StaticString) -> UnsafeRawBufferPointer? {
    firstField(named: name.bytes)
  }

  /// How many fields have this name.
  package func fieldCount(named name: StaticString) -> Int {
    let wanted = name.bytes
    var (index, count) = (-1, 0)
    while let next = nextField(named: wanted, after: index) { (index, count) = (next, count + 1) }
    return count
  }

  func firstField(named name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    nextField(named: name, after: -1).map { state.pointee.head[state.pointee.fields[$0].value] }
  }

  func nextField(named name: UnsafeRawBufferPointer, after index: Int) -> Int? {
    var index = index + 1
    while index < state.pointee.fieldCount {
      // Most names differ in length already, so few bytes are looked at.
      let range = state.pointee.fields[index].name
      if range.length == name.count, state.pointee.head[range].equalsIgnoringCase(name) { return index }
      index += 1
    }
    return nil
  }

  /// All values of a name in one text, or nil where there is none. Repeated fields are joined by ", "
  /// (RFC 9110 section 5.3), cookies by "; " (RFC 6265 section 5.4).
  func joinedValue(of name: UnsafeRawBufferPointer) -> String? {
    guard let first = nextField(named: name, after: -1) else { return nil }
    var text = String(repairing: field(at: first).value)
    guard var next = nextField(named: name, after: first) else { return text }
    let separator = name.equalsIgnoringCase(("Cookie" as StaticString).bytes) ? "; " : ", "
    while true {
      text += separator
      text += String(repairing: field(at: next).value)
      guard let after = nextField(named: name, after: next) else { return text }
      next = after
    }
  }
}
