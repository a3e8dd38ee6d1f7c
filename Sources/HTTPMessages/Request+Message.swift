extension Request {
  /// The value of a field, name in any case, or nil. Repeated fields are joined by ", " (cookies by "; "). Names are
  /// compared in place, and only the value becomes text.
  public func header(_ name: String) -> String? { name.withBytes { storage.joinedValue(of: $0) } }

  /// All fields, in the order of arrival.
  public var headers: HeaderFields {
    var fields = HeaderFields()
    for index in 0..<storage.fieldCount {
      let (name, value) = storage.field(at: index)
      fields.add(trusted: String(repairing: name), String(repairing: value))
    }
    return fields
  }

  /// The media type of the body; nil where there is no `Content-Type`, or it is malformed.
  public var contentType: MediaType? { header("Content-Type").flatMap(MediaType.init(_:)) }

  /// The body; each use makes a copy. See `withBodyBytes`.
  public var body: [UInt8] { Array(storage.bodyBytes) }

  /// Length of the body in bytes.
  public var bodyCount: Int { storage.bodyCount }

  /// Calls with the body's bytes in place. They must not be used after the call.
  public func withBodyBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try body(storage.bodyBytes)
  }

  /// The body as text, or nil where it is not valid UTF-8.
  public var bodyText: String? { String(validating: storage.bodyBytes, as: UTF8.self) }
}
