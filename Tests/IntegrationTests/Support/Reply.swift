/// An answer as it came over the wire.
struct Reply {
  var version = ""
  var status = 0
  /// In the order of arrival, names as they were sent.
  var fields: [(name: String, value: String)] = []
  var body: [UInt8] = []

  /// The value of the first field of this name in any case.
  subscript(name: String) -> String? { values(name).first }

  func values(_ name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  var text: String { String(decoding: body, as: UTF8.self) }

  /// Names of the fields in lower case and sorted, for comparing two answers.
  var fieldNames: [String] { fields.map { $0.name.lowercased() }.sorted() }

  /// Whether the server says that it closes the connection.
  var closes: Bool { self["Connection"]?.lowercased() == "close" }

  /// Reads a status line and fields. The text ends before the empty line.
  init(head: [UInt8]) throws {
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
    let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let code = Int(words[1]) else {
      throw ClientError.malformed("status line “\(lines.first ?? "")”")
    }
    (version, status) = (String(words[0]), code)
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, !parts[0].contains(" ") else {
        throw ClientError.malformed("field line “\(line)”")
      }
      fields.append((String(parts[0]), String(parts[1].drop { $0 == " " })))
    }
  }
}

enum ClientError: Error {
  case system(String, Int32)
  /// Nothing came within the client's patience.
  case timeout(String)
  /// The connection ended before what was waited for.
  case closed(String)
  case malformed(String)
}
