import HTTPMessages
import Testing

@Suite("HTTPMessages: building a router")
struct RouterBuildingTests {
  @Test(
    "bad patterns are refused, each with its reason",
    arguments: [
      ("", .noLeadingSlash), ("a", .noLeadingSlash), ("/:", .badParameter), ("/:a/:a", .badParameter),
      ("/*/a", .wildcardNotLast), ("/*x/", .wildcardNotLast), ("/a//b", .badSegment),
      ("/a/../b", .badSegment),
      ("/.", .badSegment), ("/%2e%2E", .badSegment), ("/a?b", .badSegment), ("/a#b", .badSegment),
      ("/a b", .badSegment),
      ("/%zz", .badSegment), ("/%00", .badSegment), ("/:a/:b/:c/:d/:e/:f/:g/:h/:i", .tooManyParameters),
      ("/taken/:y", .duplicate), ("/t%61ken/:y", .duplicate),
    ] as [(String, RouterError.Code)])
  func refused(pattern: String, code: RouterError.Code) {
    var router = Router()
    router.get("/taken/:x") { _ in .empty() }
    #expect(throws: RouterError(code: code, pattern: pattern)) {
      try router.add([.get], pattern) { _ in .empty() }
    }
    #expect(router.freeze().routes.count == 1)
  }

  @Test("methods that are never served, and repeated ones, are refused")
  func refusedMethods() {
    var router = Router()
    for methods in [[], [.trace], [.get, .connect]] as [[Method]] {
      #expect(throws: RouterError(code: .methodNotServed, pattern: "/a")) {
        try router.add(methods, "/a") { _ in .empty() }
      }
    }
    #expect(throws: RouterError(code: .duplicate, pattern: "/a")) {
      try router.add([.get, .get], "/a") { _ in .empty() }
    }
    router.any("/a") { _ in .empty() }
    #expect(throws: RouterError(code: .duplicate, pattern: "/a")) {
      try router.add(nil, "/a") { _ in .empty() }
    }
    router.get("/a") { _ in .empty() }
    #expect(router.freeze().routes.count == 2)
  }

  @Test("options that mean nothing, or would let nothing in, are refused")
  func badCaps() throws {
    var router = Router()
    let wrong = [
      RouteOptions(maxConcurrent: 0), RouteOptions(maxConcurrent: 1, maxWaiting: -1), RouteOptions(maxBodyBytes: -1),
      RouteOptions(timeout: .seconds(-1)),
    ]
    for options in wrong {
      #expect(throws: RouterError(code: .badOptions, pattern: "/a")) {
        try router.add([.get], "/a", options: options) { _ in .empty() }
      }
    }
    let least = RouteOptions(maxBodyBytes: 0, timeout: .zero, maxConcurrent: 1, maxWaiting: 0)
    try router.add([.get], "/a", options: least) { _ in .empty() }
    #expect(router.freeze().routes.count == 1)
  }

  @Test("54 methods beyond the well-known ones fit, and each has its route")
  func manyMethods() throws {
    var router = Router()
    let methods = try (0..<54).map { try #require(Method("M\($0)")) }
    for method in methods { router.on(method, "/\(method)") { _ in .empty() } }
    router.any("/any") { _ in .empty() }
    try router.add(methods.suffix(2), "/two") { _ in .empty() }
    #expect(throws: RouterError(code: .tooManyMethods, pattern: "/more")) {
      try router.add([#require(Method("MORE"))], "/more") { _ in .empty() }
    }
    let table = router.freeze()
    for method in methods {
      #expect(table.outcome(method, "/\(method)") == "/\(method)")
      #expect(table.outcome(method, "/any") == "/any")
    }
    #expect(table.outcome(.get, "/M53") == "405 OPTIONS, M53")
    #expect(table.outcome(.get, "/two") == "405 OPTIONS, M52, M53")
    #expect(table.outcome(try #require(Method("MORE")), "/any") == "/any")
    #expect(table.outcome(try #require(Method("MORE")), "/two") == "405 OPTIONS, M52, M53")
  }

  @Test("the forms for literals trap on a bad pattern")
  func trap() async {
    await #expect(processExitsWith: .failure) {
      var router = Router()
      router.get("bad") { _ in .empty() }
    }
  }

  @Test("every form registers its method")
  func forms() {
    var router = Router()
    router.get("/get") { _ in .empty() }
    router.post("/post") { _ in .empty() }
    router.put("/put") { _ in .empty() }
    router.patch("/patch") { _ in .empty() }
    router.delete("/delete") { _ in .empty() }
    router.on(.options, "/options") { _ in .empty() }
    router.any("/any") { _ in .empty() }
    let routes = router.freeze().routes
    #expect(routes.map(\.methods) == [[.get], [.post], [.put], [.patch], [.delete], [.options], []])
    #expect(routes.map(\.index) == Array(0..<7))
  }

  @Test("options and labels arrive")
  func options() {
    var router = Router()
    router.get("/a/:b", options: RouteOptions(isInline: true, maxBodyBytes: 10, label: "named")) { _ in
      .empty()
    }
    router.get("/c/:d") { _ in .empty() }
    let routes = router.freeze().routes
    #expect(routes.map(\.label) == ["named", "/c/:d"])
    #expect(routes.map(\.pattern) == ["/a/:b", "/c/:d"])
    #expect(routes[0].options == RouteOptions(isInline: true, maxBodyBytes: 10, label: "named"))
    #expect(routes[1].options == RouteOptions())
  }

  @Test("groups: prefixes join, also nested, empty and with a slash at the end; afterwards all is as before")
  func groups() throws {
    var router = Router()
    router.group("/api/") { api in
      api.get("") { _ in .empty() }
      api.get("/") { _ in .empty() }
      api.group("/v1/:tenant") { v1 in v1.get("/users/:id") { _ in .empty() } }
      api.group("") { plain in plain.get("/plain") { _ in .empty() } }
      api.group("/") { plain in plain.get("/slash") { _ in .empty() } }
    }
    struct Stop: Error {}
    #expect(throws: Stop.self) { try router.group("/lost") { _ in throw Stop() } }
    router.get("/after") { _ in .empty() }
    let table = router.freeze()
    #expect(
      table.routes.map(\.pattern) == [
        "/api", "/api/", "/api/v1/:tenant/users/:id", "/api/plain", "/api/slash", "/after",
      ])
    let request = table.match(.get, "/api/v1/acme/users/7").request
    #expect(request.parameter("tenant") == "acme" && request.parameter("id") == "7")
  }

  /// Middleware that leaves its name around the answer's text.
  private static func mark(_ name: String) -> Middleware {
    { request, next in
      var response = try next(request)
      response.headers["Trace"] = name + (response.headers["Trace"] ?? "")
      return response
    }
  }

  @Test("middleware: outer first, in order of use, for routes before and after it, and for its group only")
  func middleware() throws {
    var router = Router()
    router.get("/early") { _ in .text("") }
    router.use(RouterBuildingTests.mark("a"))
    router.group("/g", middleware: [RouterBuildingTests.mark("c")]) { group in
      group.get("/x") { _ in .text("") }
      group.use(RouterBuildingTests.mark("d"))
      group.group("/h", middleware: [RouterBuildingTests.mark("e")]) { inner in
        inner.get("/y") { _ in .text("") }
      }
    }
    router.use(RouterBuildingTests.mark("b"))
    router.get("/late") { _ in .text("") }
    let traces = try router.freeze().routes.map { try $0.handler(Request(target: "/")).headers["Trace"] }
    #expect(traces == ["ab", "abcd", "abcde", "ab"])
  }

  @Test("middleware may answer itself, and sees what a handler throws")
  func shortcut() throws {
    struct Broken: Error {}
    var router = Router()
    router.use { request, next in
      if request.header("Authorization") == nil { return .problem(.unauthorized) }
      do { return try next(request) } catch is Broken { return .text("mended") }
    }
    router.get("/") { _ in throw Broken() }
    let handler = router.freeze().routes[0].handler
    #expect(try handler(Request(target: "/")).status == .unauthorized)
    #expect(try handler(Request(target: "/", headers: ["Authorization": "x"])).body.count == 6)
  }

  @Test("a table does not change with its router, and copies of a router are independent")
  func values() {
    var router = Router()
    router.get("/a") { _ in .empty() }
    let table = router.freeze()
    var copy = router
    copy.get("/b") { _ in .empty() }
    router.get("/c") { _ in .empty() }
    #expect(table.routes.count == 1)
    #expect(copy.freeze().outcome(.get, "/c") == "404")
    #expect(router.freeze().outcome(.get, "/b") == "404")
  }
}
