extension Request {
  /// The raw query behind the `?`, or nil where there is no `?`.
  public var rawQuery: String? { storage.queryBytes.map { String(repairing: $0) } }

  /// The value of the first query item of this name, percent-decoded once and with `+` as a space; empty where the item
  /// has no `=`; nil where there is no such item. Only the value becomes text.
  public func query(_ name: String) -> String? {
    guard let bytes = storage.queryBytes else { return nil }
    return name.withBytes { wanted in
      var items = QueryScanner(bytes)
      while let (name, value) = items.next() {
        if PercentCoding.decoded(name, equals: wanted, plusIsSpace: true) {
          return PercentCoding.text(value, plusIsSpace: true)
        }
      }
      return nil
    }
  }

  /// The value of the first query item of this name as a whole number; nil where there is no such item, or its value is
  /// no number of this type.
  public func query<T: FixedWidthInteger>(_ name: String, as type: T.Type) -> T? {
    query(name).flatMap { T($0) }
  }

  /// The value of the first query item of this name as a whole number in a range.
  ///
  /// - Parameter defaultValue: What holds where there is no such item; nil: it must be there.
  /// - Throws: `HTTPError` with 400 and a text that names the item and the range.
  public func query(
    _ name: String, in range: ClosedRange<Int>, default defaultValue: Int? = nil
  ) throws(HTTPError) -> Int {
    let span = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    guard let text = query(name) else {
      if let defaultValue { return defaultValue }
      throw HTTPError(.badRequest, "the query item \(name) is missing: \(span)")
    }
    guard let number = Int(text), range.contains(number) else {
      throw HTTPError(.badRequest, "\(name) must be \(span), not “\(text.prefix(40))”")
    }
    return number
  }

  /// All query items in order, decoded. Empty items (`a=1&&b=2`) are left out.
  public var queryItems: [(name: String, value: String)] {
    guard let bytes = storage.queryBytes else { return [] }
    var items = QueryScanner(bytes)
    var result: [(name: String, value: String)] = []
    while let (name, value) = items.next() {
      result.append(
        (PercentCoding.text(name, plusIsSpace: true), PercentCoding.text(value, plusIsSpace: true)))
    }
    return result
  }
}

/// Walks the raw items of a query, as the URL standard's form parser does: split at `&`, then at the first `=`.
private struct QueryScanner {
  let bytes: UnsafeRawBufferPointer
  var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func next() -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    while position < bytes.count {
      let end = bytes.firstOffset(of: ASCII.ampersand, from: position) ?? bytes.count
      let item = bytes.part(position, end)
      position = end + 1
      if item.isEmpty { continue }
      guard let equals = item.firstOffset(of: ASCII.equals) else {
        return (item, item.part(item.count, item.count))
      }
      return (item.part(0, equals), item.part(equals + 1, item.count))
    }
    return nil
  }
}
