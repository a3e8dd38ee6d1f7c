import HTTPMessages
import Testing

/// Random input from fixed seeds, compared with `Reference`.
@Suite("HTTPMessages: against a simple reference")
struct FuzzTests {
  private static let pieces = [
    "a", "b", "ab", "%61", "%2e", ".", "..", "%2E%2e", ".%2E", "", "a%2Fb", "%", "%4", "%zz", "c%00", "+",
    "=", "%25", "...",
  ]

  private static func path(_ numbers: inout SeededNumbers) -> String {
    (0..<Int.random(in: 1...6, using: &numbers)).reduce(into: "") { path, _ in
      path += "/" + (pieces.randomElement(using: &numbers) ?? "")
      if Int.random(in: 0..<4, using: &numbers) == 0 { path += pieces.randomElement(using: &numbers) ?? "" }
    }
  }

  @Test("paths", arguments: 1...8)
  func paths(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    for _ in 0..<1000 {
      let path = FuzzTests.path(&numbers)
      #expect(Request(target: path).path == Reference.removeDotSegments(Reference.decode(path)), "\(path)")
    }
  }

  @Test("queries", arguments: 1...8)
  func queries(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let parts = ["a", "b", "&", "=", "+", "%20", "%26", "%3D", "%", "%0", "%C3%A9", "é", "%00", "?", "/"]
    for _ in 0..<1000 {
      let query = (0..<Int.random(in: 0...12, using: &numbers)).reduce(into: "") { text, _ in
        text += parts.randomElement(using: &numbers) ?? ""
      }
      let request = Request(target: "/?" + query)
      let expected = Reference.queryItems(query)
      #expect(request.queryItems.map { [$0.name, $0.value] } == expected, "\(query)")
      // A name that is no UTF-8 has no text to ask for it by.
      for item in expected where !item[0].contains("\u{FFFD}") {
        #expect(request.query(item[0]) == expected.first { $0[0] == item[0] }?[1], "\(query)")
      }
    }
  }

  private struct Route {
    let method: Method?
    let pattern: String
  }

  private static func routes(_ numbers: inout SeededNumbers) -> [Route] {
    let methods: [Method?] = [.get, .post, .put, nil]
    let parts = ["a", "b", "ab", "%61b", ":x", ":y", "c", "a%2Fb"]
    return (0..<Int.random(in: 1...14, using: &numbers)).map { _ in
      var pattern = ""
      for _ in 0..<Int.random(in: 1...4, using: &numbers) {
        var part = parts.randomElement(using: &numbers) ?? ""
        if pattern.contains(part), part.hasPrefix(":") { part = "a" }
        pattern += "/" + part
      }
      switch Int.random(in: 0..<5, using: &numbers) {
      case 0: pattern += "/*"
      case 1: pattern += "/"
      default: break
      }
      return Route(method: methods.randomElement(using: &numbers) ?? nil, pattern: pattern)
    }
  }

  /// What the reference says: the pattern found, or the methods allowed.
  private static func expected(_ routes: [Route], _ method: Method, _ path: String) -> String {
    guard let segments = Reference.segments(path) else { return "404" }
    let fitting = routes.compactMap { route in
      Reference.fit(route.pattern, segments.map(\.decoded)).map { (route: route, kinds: $0) }
    }
    let serving = fitting.filter { $0.route.method == method || $0.route.method == nil }
    let best = serving.min { a, b in
      a.kinds != b.kinds
        ? a.kinds.lexicographicallyPrecedes(b.kinds)
        : (a.route.method == nil ? 1 : 0) < (b.route.method == nil ? 1 : 0)
    }
    if let best { return best.route.pattern }
    let allowed = Set(fitting.compactMap { $0.route.method?.description })
    return allowed.isEmpty ? "404" : "405 " + allowed.sorted().joined(separator: " ")
  }

  @Test("routes", arguments: 1...16)
  func matching(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let storage = RequestStorage()
    for _ in 0..<40 {
      var router = Router()
      var kept: [Route] = []
      for route in FuzzTests.routes(&numbers) {
        do {
          try router.add(route.method.map { [$0] }, route.pattern) { _ in .empty() }
          kept.append(route)
        } catch {
          #expect(error.code == .duplicate)
        }
      }
      let table = router.freeze()
      for _ in 0..<60 {
        let path = FuzzTests.path(&numbers)
        let method = [Method.get, .post, .put].randomElement(using: &numbers) ?? .get
        // One storage for all: a match must not see the one before.
        storage.reset()
        storage.setTarget(path)
        let walked = table.match(method: method, path: storage.pathBytes, into: storage)
        // The way that the server takes, with its short cut, must come to the same.
        storage.reset()
        storage.setTarget(path)
        storage.method = method
        let match = table.match(storage.head)
        #expect(match == walked, "\(method) \(path)")
        let expected = FuzzTests.expected(kept, method, path)
        switch match {
        case .found(let index):
          #expect(table.routes[index].pattern == expected, "\(method) \(path)")
          FuzzTests.checkParameters(Request(storage), table.routes[index].pattern, path)
        case .methodNotAllowed(let allow):
          let names = allow.split(separator: ", ").map(String.init).filter {
            !["HEAD", "OPTIONS"].contains($0)
          }
          #expect("405 " + names.sorted().joined(separator: " ") == expected, "\(method) \(path)")
        case .notFound: #expect(expected == "404", "\(method) \(path)")
        case .options: Issue.record("OPTIONS was not asked")
        }
      }
    }
  }

  private static func checkParameters(_ request: Request, _ pattern: String, _ path: String) {
    guard let segments = Reference.segments(path) else { return }
    let parts = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if part.hasPrefix(":") {
        #expect(request.parameter(String(part.dropFirst())) == segments[index].decoded, "\(path)")
      } else if part == "*" {
        let rest = Reference.decode("/" + segments[index...].map(\.raw).joined(separator: "/"))
        #expect(request.wildcard == String(Reference.removeDotSegments(rest).dropFirst()), "\(path)")
      }
    }
  }

  @Test("random bytes: nothing traps, and what the target check passes can be matched", arguments: 1...8)
  func bytes(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    var router = Router()
    router.any("/*") { _ in .empty() }
    let table = router.freeze()
    for _ in 0..<2000 {
      let count = Int.random(in: 0...40, using: &numbers)
      var target = (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
      if Bool.random(using: &numbers) { target = target.map { $0 % 0x60 + 0x20 } }
      if Bool.random(using: &numbers) { target.insert(0x2F, at: 0) }
      let storage = RequestStorage()
      let form = target.withUnsafeBytes { bytes in
        storage.setTarget(bytes)
        _ = HeadSyntax.isHost(bytes)
        return HeadSyntax.targetForm(bytes, method: .get)
      }
      let request = Request(storage)
      let match = table.match(method: .get, path: storage.pathBytes, into: storage)
      #expect(request.path.utf8.count <= target.count * 3 + 1)
      _ = request.queryItems
      if form != nil, !request.rawPath.contains("%00") { #expect(match == .found(index: 0), "\(target)") }
    }
  }
}
