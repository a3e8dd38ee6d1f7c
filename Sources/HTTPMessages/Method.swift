/// A request method (RFC 9110 section 9). Case matters: `GET` and `get` are different methods.
///
/// The nine well-known methods are one small number; any other token is kept as text. May be used from any thread.
public struct Method: Hashable, Sendable, CustomStringConvertible {
  /// Index into `names`, or `otherCode`.
  package let code: UInt8
  /// The token of a method that is not well known, else empty. Well-known tokens never stand here, so that the
  /// synthesised equality is right.
  let token: String

  /// The code of every method that is not well known.
  package static let otherCode: UInt8 = 9

  /// The names of the well-known methods, by code.
  package static let names: [String] = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT",
  ]

  /// A well-known method by its code, or another one by its token.
  init(code: UInt8, token: String = "") {
    self.code = code
    self.token = token
  }

  /// Transfer the current representation of the target.
  public static var get: Method { Method(code: 0) }
  /// As GET, without the body of the answer.
  public static var head: Method { Method(code: 1) }
  /// Let the target process the body.
  public static var post: Method { Method(code: 2) }
  /// Replace the target's representation with the body.
  public static var put: Method { Method(code: 3) }
  /// Change the target as the body says (RFC 5789).
  public static var patch: Method { Method(code: 4) }
  /// Remove the target.
  public static var delete: Method { Method(code: 5) }
  /// Ask what may be done with the target.
  public static var options: Method { Method(code: 6) }
  /// Echo the request. Heddle never answers it: it hands a client's secrets back to scripts.
  public static var trace: Method { Method(code: 7) }
  /// Ask for a tunnel. Heddle is no proxy and never answers it.
  public static var connect: Method { Method(code: 8) }

  /// The method of this name, or nil where the name is not a token of RFC 9110.
  public init?(_ token: String) {
    guard let method = token.withBytes({ Method(bytes: $0) }) else { return nil }
    self = method
  }

  /// The method that raw bytes name, or nil where they are not a token. Allocates only for an unknown method whose
  /// name is longer than 15 bytes.
  package init?(bytes: UnsafeRawBufferPointer) {
    guard let known = Method.known(bytes) else {
      guard HeadSyntax.isToken(bytes) else { return nil }
      self.init(code: Method.otherCode, token: String(repairing: bytes))
      return
    }
    self.init(code: known)
  }

  /// The name as it stands in a request line.
  public var description: String { code < Method.otherCode ? Method.names[Int(code)] : token }

  /// Whether HTTP defines it as changing nothing on the server (RFC 9110 section 9.2.1). Unknown methods are not.
  public var isSafe: Bool { code < 2 || code == 6 || code == 7 }

  /// The code of a well-known method, or nil.
  static func known(_ bytes: UnsafeRawBufferPointer) -> UInt8? {
    // Read as numbers: a name of three to seven letters is one or two words.
    switch bytes.count {
    case 3:
      let word = UInt32(bytes[0]) << 16 | UInt32(bytes[1]) << 8 | UInt32(bytes[2])
      return word == 0x47_45_54 ? 0 : word == 0x50_55_54 ? 3 : nil
    case 4:
      let word = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
      return word == 0x504F_5354 ? 2 : word == 0x4845_4144 ? 1 : nil
    case 5:
      return bytes.equals(("PATCH" as StaticString).bytes) ? 4 : bytes.equals(("TRACE" as StaticString).bytes) ? 7 : nil
    case 6: return bytes.equals(("DELETE" as StaticString).bytes) ? 5 : nil
    case 7:
      return bytes.equals(("OPTIONS" as StaticString).bytes)
        ? 6 : bytes.equals(("CONNECT" as StaticString).bytes) ? 8 : nil
    default: return nil
    }
  }
}
