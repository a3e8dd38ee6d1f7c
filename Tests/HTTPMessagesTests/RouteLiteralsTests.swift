import Testing

@testable import HTTPMessages

/// The short cut for paths of literals.
@Suite struct RouteLiteralsTests {
  private static func table(_ patterns: [String]) -> RouteTable {
    var router = Router()
    for pattern in patterns { router.get(pattern) { _ in .empty() } }
    return router.freeze()
  }

  /// What the short cut says for GET; -1: it does not know.
  private static func shortCut(_ table: RouteTable, _ path: String) -> Int32 {
    withRaw(path) { table.literals.route(of: $0, slot: Int(Method.get.code)) }
  }

  @Test func everyPathOfLiteralsIsKnown() {
    // Of every length around that of the words that are hashed, and with equal beginnings and ends.
    let patterns =
      (0..<40).map { "/" + String(repeating: "a", count: $0) } + ["/a/b", "/a/", "/api/threads", "/api/thread"]
    let table = RouteLiteralsTests.table(patterns)
    for (index, pattern) in patterns.enumerated() {
      #expect(RouteLiteralsTests.shortCut(table, pattern) == Int32(index), "\(pattern)")
    }
    for path in ["", "/b", "/aab", "/a/b/", "//", "/A", "/api/threads?"] {
      #expect(RouteLiteralsTests.shortCut(table, path) == -1, "\(path)")
    }
  }

  @Test func whatMayBeWrittenInSeveralWaysIsLeftToTheTree() {
    let table = RouteLiteralsTests.table(["/a%20b", "/50%25", "/x%2Fy", "/:id", "/files/*"])
    for path in ["/a%20b", "/50%25", "/50%", "/x%2Fy", "/x/y", "/:id", "/files/*"] {
      #expect(RouteLiteralsTests.shortCut(table, path) == -1, "\(path)")
    }
    // It is stored decoded, and a path cannot hold the decoded byte.
    #expect(table.outcome(.get, "/a%20b") == "/a%20b")
    #expect(table.outcome(.get, "/50%25") == "/50%25")
  }

  @Test func eachMethodHasItsOwnRoute() {
    var router = Router()
    router.get("/a") { _ in .empty() }
    router.post("/a") { _ in .empty() }
    let table = router.freeze()
    func route(_ method: Method) -> RouteMatch {
      let storage = RequestStorage()
      storage.setTarget("/a")
      storage.method = method
      return table.match(storage.head)
    }
    #expect(route(.get) == .found(index: 0) && route(.head) == .found(index: 0))
    #expect(route(.post) == .found(index: 1))
    guard case .methodNotAllowed = route(.put) else {
      Issue.record("PUT is served")
      return
    }
  }
}
