/// A response status: three digits from 100 to 999 (RFC 9110 section 15).
///
/// May be used from any thread.
public struct Status: Hashable, Sendable, CustomStringConvertible {
  /// The number, 100 to 999.
  public let code: Int

  /// The status of this number, or nil outside 100...999.
  public init?(code: Int) {
    guard 100...999 ~= code else { return nil }
    self.code = code
  }

  /// A status whose number is known to be in range.
  @usableFromInline
  init(known code: Int) { self.code = code }

  /// The first digit: 1 informational, 2 successful, 3 redirection, 4 client error, 5 server error.
  public var category: Int { code / 100 }

  /// Whether an answer with this status has no body by definition: 1xx, 204 and 304 (RFC 9110 section 6.4.1).
  public var forbidsBody: Bool { code < 200 || code == 204 || code == 304 }

  /// Number and reason, as in a status line: `404 Not Found`.
  public var description: String { "\(code) \(reason)" }
}
