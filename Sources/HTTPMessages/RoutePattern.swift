/// A pattern such as `/users/:id/files/*path`, taken apart.
struct RoutePattern {
  enum Segment: Hashable {
    /// These bytes exactly, once the path's segment is decoded. Empty only for a slash at the end.
    case literal([UInt8])
    /// Any segment that is not empty.
    case parameter
    /// Everything that is left, also nothing.
    case wildcard
  }

  let text: String
  let segments: [Segment]
  /// The names of the parameters, in order.
  let parameterNames: [String]

  init(_ text: String) throws(RouterError) {
    guard text.utf8.first == ASCII.slash else { throw RouterError(code: .noLeadingSlash, pattern: text) }
    var segments: [Segment] = []
    var names: [String] = []
    for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      // Every segment but the last is followed by another, so it must not be one that has to end the pattern.
      if segments.last == .wildcard { throw RouterError(code: .wildcardNotLast, pattern: text) }
      if segments.last == .literal([]) { throw RouterError(code: .badSegment, pattern: text) }
      switch part.utf8.first {
      case ASCII.colon:
        let name = String(part.dropFirst())
        if name.isEmpty || names.contains(name) { throw RouterError(code: .badParameter, pattern: text) }
        names.append(name)
        segments.append(.parameter)
      case ASCII.star:
        segments.append(.wildcard)
      default:
        guard let literal = RoutePattern.literal(part) else {
          throw RouterError(code: .badSegment, pattern: text)
        }
        segments.append(.literal(literal))
      }
    }
    if names.count > RequestState.parameterLimit {
      throw RouterError(code: .tooManyParameters, pattern: text)
    }
    self.text = text
    self.segments = segments
    self.parameterNames = names
  }

  /// The one path that the pattern fits, where it has literals only and that path can be sent as it is, without any escape.
  var plainPath: [UInt8]? {
    var path: [UInt8] = []
    for segment in segments {
      guard case .literal(let bytes) = segment, !bytes.contains(ASCII.percent), !bytes.contains(ASCII.slash) else {
        return nil
      }
      path.append(ASCII.slash)
      path += bytes
    }
    return path
  }

  /// The decoded bytes, or nil where no path can hold them.
  private static func literal(_ part: Substring) -> [UInt8]? {
    Array(part.utf8).withUnsafeBytes { bytes in
      for (index, byte) in bytes.enumerated() {
        if byte <= ASCII.space || byte == 0x7F || byte == ASCII.question || byte == 0x23 { return nil }
        if byte == ASCII.percent {
          guard let decoded = PercentCoding.escape(bytes, at: index), decoded != 0 else { return nil }
        }
      }
      if DotSegments.dots(bytes, encoded: true) > 0 { return nil }
      var decoded: [UInt8] = []
      PercentCoding.decode(bytes, to: &decoded)
      return decoded
    }
  }
}
