extension Request {
  /// The path as it was sent, up to the `?`; of an absolute-form target what follows the authority.
  public var rawPath: String { String(repairing: storage.pathBytes) }

  /// The path, percent-decoded once and then without `.` and `..` segments: it always begins with `/` and never climbs,
  /// also where slashes or dots were sent encoded. What is not UTF-8 becomes U+FFFD; `%00` stays as it is.
  ///
  /// An encoded slash becomes a plain one here, while the router takes it as part of its segment.
  /// For `OPTIONS *` it is `*`.
  public var path: String {
    let raw = storage.pathBytes
    guard raw.first == ASCII.slash else { return PercentCoding.text(raw) }
    if raw.firstOffset(of: ASCII.percent) == nil, !DotSegments.present(in: raw, encoded: false) {
      return String(repairing: raw)
    }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(raw.count)
    PercentCoding.decode(raw, to: &decoded)
    let clean = decoded.withUnsafeBytes { DotSegments.removed(from: $0, encoded: false) }
    return String(decoding: clean, as: UTF8.self)
  }

  /// The value of a path parameter: for the pattern `/users/:id`, `parameter("id")` is the second segment,
  /// percent-decoded once. Nil where the pattern has no such parameter. An encoded slash is decoded too, so the value may
  /// hold `/` and `..`: it is data, and no file name.
  public func parameter(_ name: String) -> String? {
    let state = storage.state
    guard let index = state.pointee.parameterNames.firstIndex(of: name), index < state.pointee.parameterCount
    else {
      return nil
    }
    return PercentCoding.text(state.pointee.head[state.pointee.parameters[index]])
  }

  /// The value of a path parameter as a whole number; nil where there is none, or it is no number of this type.
  public func parameter<T: FixedWidthInteger>(_ name: String, as type: T.Type) -> T? {
    parameter(name).flatMap { T($0) }
  }

  /// What the wildcard of the pattern stands for: for `/files/*` and the path `/files/a/b` it is `a/b`, percent-decoded
  /// once and without `.` and `..` segments, also where they were sent encoded; so it never climbs out. Nil where the
  /// pattern has no wildcard; empty where nothing follows the slash.
  public var wildcard: String? {
    guard let range = storage.state.pointee.wildcard else { return nil }
    var decoded: [UInt8] = [ASCII.slash]
    PercentCoding.decode(storage.state.pointee.head[range], to: &decoded)
    let clean = decoded.withUnsafeBytes { DotSegments.removed(from: $0, encoded: false) }
    return String(decoding: clean.dropFirst(), as: UTF8.self)
  }
}
