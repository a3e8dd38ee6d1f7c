/// The body of a response.
public enum ResponseBody: Sendable {
  /// No bytes.
  case empty
  /// These bytes.
  case bytes([UInt8])
  /// This text, as UTF-8.
  case text(String)
  /// The body of a prepared answer. Given to another `Response` it stands for a copy of the bytes.
  case shared(SharedResponse)

  /// Length in bytes.
  public var count: Int {
    switch self {
    case .empty: 0
    case .bytes(let bytes): bytes.count
    case .text(let text): text.utf8.count
    case .shared(let response): response.bodyBytes.count
    }
  }

  /// The same body as one of its own.
  var unshared: ResponseBody {
    if case .shared(let response) = self { .bytes(Array(response.bodyBytes)) } else { self }
  }

  /// Calls with the bytes, in place wherever they lie in one piece. They must not be used after the call.
  public func withBytes<R>(_ use: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    switch self {
    case .empty: try use(UnsafeRawBufferPointer(start: nil, count: 0))
    case .bytes(let bytes): try bytes.withUnsafeBytes(use)
    case .text(let text): try text.withBytes(use)
    case .shared(let response): try withExtendedLifetime(response) { try use(response.bodyBytes) }
    }
  }
}
