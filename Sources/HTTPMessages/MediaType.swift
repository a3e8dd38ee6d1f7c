/// A media type with its parameters, such as `text/html; charset=utf-8` (RFC 9110 section 8.3.1).
///
/// The named ones are literals: their text lives in the executable and is never copied. May be used from any thread.
public struct MediaType: Hashable, Sendable, CustomStringConvertible {
  /// The whole text, type and subtype in lower case, as it stands in `Content-Type`.
  public let text: String

  /// A literal known to be well formed.
  init(known text: String) { self.text = text }

  /// The media type that a text names, or nil where it is malformed.
  ///
  /// Type, subtype and parameter names are put in lower case; parameter values stay as they are.
  public init?(_ text: String) {
    guard let normal = text.withBytes({ MediaType.normalized($0.trimmingBlanks) }) else { return nil }
    self.text = normal
  }

  /// `text/plain`
  public static let plainText = MediaType(known: "text/plain")
  /// `text/plain; charset=utf-8`
  public static let plainTextUTF8 = MediaType(known: "text/plain; charset=utf-8")
  /// `application/json`: UTF-8 by definition (RFC 8259 section 8.1), so without a charset.
  public static let json = MediaType(known: "application/json")
  /// `application/problem+json` (RFC 9457)
  public static let problemJSON = MediaType(known: "application/problem+json")
  /// `text/html; charset=utf-8`
  public static let html = MediaType(known: "text/html; charset=utf-8")
  /// `text/css; charset=utf-8`
  public static let css = MediaType(known: "text/css; charset=utf-8")
  /// `text/javascript; charset=utf-8` (RFC 9239)
  public static let javascript = MediaType(known: "text/javascript; charset=utf-8")
  /// `image/svg+xml`
  public static let svg = MediaType(known: "image/svg+xml")
  /// `application/octet-stream`: bytes of an unknown kind.
  public static let octetStream = MediaType(known: "application/octet-stream")
  /// `text/event-stream`: server-sent events.
  public static let eventStream = MediaType(known: "text/event-stream")
  /// `application/x-www-form-urlencoded`
  public static let form = MediaType(known: "application/x-www-form-urlencoded")
  /// `text/plain; version=0.0.4; charset=utf-8`: the Prometheus exposition format.
  public static let prometheus = MediaType(known: "text/plain; version=0.0.4; charset=utf-8")
  /// `application/openmetrics-text; version=1.0.0; charset=utf-8`
  public static let openMetrics = MediaType(
    known: "application/openmetrics-text; version=1.0.0; charset=utf-8")

  /// Type and subtype without parameters: `text/html`.
  public var essence: String {
    guard let end = text.utf8.firstIndex(of: 0x3B) else { return text }
    return text[..<end].withoutTrailingBlanks
  }

  /// The whole text.
  public var description: String { text }
}

extension Substring {
  fileprivate var withoutTrailingBlanks: String {
    var rest = self
    while let last = rest.utf8.last, last == ASCII.space || last == ASCII.tab { rest.removeLast() }
    return String(rest)
  }
}
