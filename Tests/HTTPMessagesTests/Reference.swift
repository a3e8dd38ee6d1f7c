/// The slow and simple forms of what the module does on bytes: what it is compared with under random input.
enum Reference {
  /// RFC 3986 section 5.2.4, step by step as it is printed there.
  static func removeDotSegments(_ path: String) -> String {
    var input = path
    var output = ""
    func dropLastSegment() { output = output.lastIndex(of: "/").map { String(output[..<$0]) } ?? "" }
    while !input.isEmpty {
      if input.hasPrefix("../") || input.hasPrefix("./") {
        input.removeFirst(input.hasPrefix("../") ? 3 : 2)
      } else if input.hasPrefix("/./") {
        input.removeFirst(2)
      } else if input == "/." {
        input = "/"
      } else if input.hasPrefix("/../") {
        input.removeFirst(3)
        dropLastSegment()
      } else if input == "/.." {
        input = "/"
        dropLastSegment()
      } else if input == "." || input == ".." {
        input = ""
      } else {
        let end = input.dropFirst().firstIndex(of: "/") ?? input.endIndex
        output += input[..<end]
        input = String(input[end...])
      }
    }
    return output
  }

  static func decode(_ text: String, plusIsSpace: Bool = false) -> String {
    var bytes: [UInt8] = []
    var rest = Substring(text)
    while let character = rest.first {
      if character == "%", let value = UInt8(rest.dropFirst().prefix(2), radix: 16), value > 0,
        rest.dropFirst().prefix(2).allSatisfy(\.isHexDigit), rest.count > 2
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes += Array((plusIsSpace && character == "+" ? " " : String(character)).utf8)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The segments of a path as the router takes them: dot segments removed, each decoded; nil where it holds NUL.
  static func segments(_ path: String) -> [(raw: String, decoded: String)]? {
    if path.contains("%00") { return nil }
    let plain = path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      [".", ".."].contains(decode(String(segment))) ? decode(String(segment)) : String(segment)
    }
    return removeDotSegments(plain.joined(separator: "/")).dropFirst()
      .split(separator: "/", omittingEmptySubsequences: false).map { (String($0), decode(String($0))) }
  }

  /// How well a pattern fits: for each segment 0 literal, 1 parameter, 2 wildcard; nil: not at all.
  static func fit(_ pattern: String, _ path: [String]) -> [Int]? {
    var kinds: [Int] = []
    let parts = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      guard index < path.count else { return nil }
      if part.hasPrefix("*") { return kinds + [2] }
      if part.hasPrefix(":") {
        if path[index].isEmpty { return nil }
        kinds.append(1)
      } else {
        if decode(String(part)) != path[index] { return nil }
        kinds.append(0)
      }
    }
    return parts.count == path.count ? kinds : nil
  }

  static func queryItems(_ query: String) -> [[String]] {
    query.split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return [
        decode(String(parts[0]), plusIsSpace: true),
        parts.count > 1 ? decode(String(parts[1]), plusIsSpace: true) : "",
      ]
    }
  }
}
