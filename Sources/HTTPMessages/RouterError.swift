/// Why a route was refused at registration.
public struct RouterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong. More kinds may be added.
  public struct Code: Hashable, Sendable {
    let text: String
    /// The pattern does not begin with a slash.
    public static let noLeadingSlash = Code(text: "must begin with /")
    /// A `:` without a name, or a name twice in one pattern.
    public static let badParameter = Code(text: "has a parameter without a name, or two of one name")
    /// A wildcard that is not the last segment.
    public static let wildcardNotLast = Code(text: "may have a wildcard as its last segment only")
    /// `.` or `..`, an empty segment before the end, `?`, `#`, a control byte, or a `%` that begins no escape: what no
    /// path that arrives here can hold.
    public static let badSegment = Code(text: "has a segment that no path can match")
    /// More than eight parameters.
    public static let tooManyParameters = Code(text: "has more than 8 parameters")
    /// A route of the same shape and method is there already; parameter names make no difference.
    public static let duplicate = Code(text: "is registered already for this method")
    /// More than 54 methods that are not well known, in one router.
    public static let tooManyMethods = Code(text: "brings the router's methods that are not well known above 54")
    /// `RouteOptions.maxConcurrent` below 1, or `maxWaiting`, `maxBodyBytes` or `timeout` below 0.
    public static let badOptions = Code(
      text: "has maxConcurrent below 1, or maxWaiting, maxBodyBytes or timeout below 0")
    /// TRACE or CONNECT, which are never served, or no method at all.
    public static let methodNotServed = Code(text: "is registered for a method that is never served")
  }

  /// What was wrong.
  public let code: Code
  /// The whole pattern, with the prefixes of its groups.
  public let pattern: String

  package init(code: Code, pattern: String) {
    self.code = code
    self.pattern = pattern
  }

  /// One line that names the pattern and what is wrong with it.
  public var description: String { "route pattern \(pattern.debugDescription) \(code.text)" }
}
