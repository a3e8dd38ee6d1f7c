import FoundationEssentials
import HTTPMessages

/// Turns values into JSON: camelCase as the Swift names are, keys in alphabetical order so that two readings can be compared.
enum JSONDocument {
  /// The answer that carries a value, with a line's end so that a terminal shows it well.
  static func response(_ value: some Encodable, status: Status = .ok) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var bytes = [UInt8](try encoder.encode(value))
    bytes.append(UInt8(ascii: "\n"))
    var response = Response.bytes(bytes, type: .json, status: status)
    response.headers["Cache-Control"] = "no-store"
    return response
  }

  /// A moment in the form of RFC 3339, in UTC.
  static func timestamp(secondsSince1970: Double) -> String {
    Date(timeIntervalSince1970: secondsSince1970).ISO8601Format()
  }
}
