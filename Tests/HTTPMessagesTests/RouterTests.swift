import HTTPMessages
import Testing

@Suite("HTTPMessages: router")
struct RouterTests {
  private func table(_ routes: [(Method?, String)]) throws -> RouteTable {
    var router = Router()
    for (method, pattern) in routes { try router.add(method.map { [$0] }, pattern) { _ in .empty() } }
    return router.freeze()
  }

  @Test(
    "literal before parameter before wildcard, and back",
    arguments: [
      ("/", "/"), ("/users", "/users"), ("/users/", "/users/"), ("/users/7", "/users/:id"),
      ("/users/me", "/users/me"),
      ("/users/me/posts", "/users/me/posts"), ("/users/7/posts", "/users/:id/posts"),
      // Only the parameter leads on here, though the literal fits too.
      ("/users/me/likes", "/users/:id/likes"), ("/users/7/x", "/users/*"), ("/users/me/posts/1", "/users/*"),
      ("/users//posts", "/users/*"), ("/files/a/b", "/files/*path"), ("/files/", "/files/*path"),
      ("/files", "/:top"),
      ("/filesx", "/:top"), ("/none/x", "404"), ("//", "404"), ("", "404"), ("users", "404"),
    ])
  func precedence(target: String, pattern: String) throws {
    let table = try table([
      (.get, "/users/*"), (.get, "/users/:id/likes"), (.get, "/users/:id"), (.get, "/users/me"), (.get, "/"),
      (.get, "/users/:name/posts"), (.get, "/users/me/posts"), (.get, "/users"), (.get, "/users/"),
      (.get, "/files/*path"), (.get, "/:top"),
    ])
    let expected = pattern == "/users/:id/posts" ? "/users/:name/posts" : pattern
    #expect(table.outcome(.get, target) == expected)
  }

  @Test(
    "encoded paths: a segment is decoded, an encoded slash stays inside it",
    arguments: [
      ("/%75sers/me", "/users/me"), ("/users/%6De", "/users/me"), ("/users/a%2Fb", "/users/:id"),
      ("/users%2Fme", "404"),
      ("/users/%2e%2E/users/me", "/users/me"), ("/users/./me", "/users/me"), ("/x/../users/me", "/users/me"),
      ("/../../users/me", "/users/me"), ("/users/me/..", "404"), ("/users/me/../7", "/users/:id"),
      ("/users/%00", "404"),
      ("/users/a%00b", "404"), ("/users/%", "/users/:id"), ("/users/%zz", "/users/:id"),
      ("/caf%C3%A9", "/café"),
      ("/caf%c3%a9", "/café"), ("/a%20b", "/a%20b"), ("/a%3Ab", "/a%3Ab"), ("/a:b", "/a%3Ab"),
      ("/s%2Ft", "/s%2Ft"),
      ("/s/t", "404"), ("/users/%256De", "/users/:id"), ("/users/..%2Fme", "/users/:id"),
    ])
  func encoded(target: String, pattern: String) throws {
    let table = try table([
      (.get, "/users/:id"), (.get, "/users/me"), (.get, "/café"), (.get, "/a%20b"), (.get, "/a%3Ab"),
      (.get, "/s%2Ft"),
    ])
    #expect(table.outcome(.get, target) == pattern)
  }

  @Test("parameters and the wildcard")
  func parameters() throws {
    let table = try table([(.get, "/:a/x/:b/*rest"), (.get, "/:c/y")])
    let request = table.match(.get, "/one%20/x/t%2Fwo/th%20ree/../four/%2e%2e/..%2f..%2fetc").request
    #expect(request.parameter("a") == "one ")
    #expect(request.parameter("b") == "t/wo")
    #expect(request.wildcard == "etc")
    #expect(request.parameter("c") == nil)
    #expect(request.parameter("rest") == nil)
    // The walk tried the first pattern before: nothing of it is left.
    let other = table.match(.get, "/7/y").request
    #expect(other.parameter("c") == "7")
    #expect(other.parameter("c", as: Int.self) == 7)
    #expect(other.parameter("a") == nil)
    #expect(other.wildcard == nil)
    #expect(table.match(.get, "/1/x/2/").request.wildcard == "")
  }

  @Test("eight parameters fit")
  func eight() throws {
    let names = (1...8).map { "p\($0)" }
    let table = try table([(.get, names.map { "/:" + $0 }.joined())])
    let request = table.match(.get, "/a/b/c/d/e/f/g/h").request
    #expect(names.map { request.parameter($0) } == ["a", "b", "c", "d", "e", "f", "g", "h"])
  }

  @Test("a path from elsewhere than the storage is taken over")
  func foreign() throws {
    let table = try table([(.get, "/:a/*")])
    let storage = RequestStorage()
    storage.setTarget("/else/where")
    #expect(withRaw("/b/c/d") { table.match(method: .get, path: $0, into: storage) } == .found(index: 0))
    #expect(Request(storage).parameter("a") == "b")
    #expect(Request(storage).wildcard == "c/d")
    #expect(Request(storage).path == "/else/where")
  }

  @Test(
    "methods: HEAD goes to GET, OPTIONS is answered, 405 says what is allowed",
    arguments: [
      ("HEAD", "/a", "/a"), ("HEAD", "/post", "405 POST, OPTIONS"), ("GET", "/post", "405 POST, OPTIONS"),
      ("PUT", "/a", "405 GET, HEAD, DELETE, OPTIONS"), ("OPTIONS", "/a", "204 GET, HEAD, DELETE, OPTIONS"),
      ("REPORT", "/a", "405 GET, HEAD, DELETE, OPTIONS"),
      ("OPTIONS", "/opt", "/opt"), ("PUT", "/opt", "405 OPTIONS"), ("OPTIONS", "/none", "404"),
      ("PROPFIND", "/dav", "/dav"), ("REPORT", "/dav", "405 OPTIONS, PROPFIND"),
      ("propfind", "/dav", "405 OPTIONS, PROPFIND"),
      ("GET", "/any", "/any"), ("HEAD", "/any", "/any"), ("OPTIONS", "/any", "/any"),
      ("REPORT", "/any", "/any"),
      ("TRACE", "/any", "405 GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
      ("CONNECT", "/any", "405 GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
      ("OPTIONS", "*", "204 GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, PROPFIND"), ("GET", "*", "404"),
      ("OPTIONS", "http://host", "204 GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, PROPFIND"),
      // The literal does not serve it, the parameter does; and where neither does, Allow names both.
      ("POST", "/u/me", "/u/:id"), ("GET", "/u/me", "/u/me"),
      ("PUT", "/u/me", "405 GET, HEAD, POST, OPTIONS"),
      ("OPTIONS", "/u/me", "204 GET, HEAD, POST, OPTIONS"),
    ])
  func methods(method: String, target: String, outcome: String) throws {
    let dav = try #require(Method("PROPFIND"))
    let table = try table([
      (.get, "/a"), (.delete, "/a"), (.post, "/post"), (.options, "/opt"), (dav, "/dav"), (nil, "/any"),
      (.get, "/u/me"),
      (.post, "/u/:id"),
    ])
    #expect(table.outcome(try #require(Method(method)), target) == outcome)
  }

  @Test("a route for the method goes before one for any, and HEAD's own before GET's")
  func own() throws {
    let table = try table([(nil, "/a"), (.post, "/a"), (.get, "/b"), (.head, "/b")])
    #expect(table.match(.post, "/a").match == .found(index: 1))
    #expect(table.match(.get, "/a").match == .found(index: 0))
    #expect(table.match(.head, "/b").match == .found(index: 3))
    #expect(table.match(.get, "/b").match == .found(index: 2))
  }

  @Test("many literals below one node are all found")
  func many() throws {
    let words = (0..<300).map { "w\($0 * 7919 % 1000)" }
    let table = try table(words.map { (.get, "/" + $0) })
    for word in words { #expect(table.outcome(.get, "/" + word) == "/" + word) }
    #expect(table.outcome(.get, "/w") == "404")
  }

  @Test("an empty table finds nothing")
  func empty() {
    #expect(Router().freeze().outcome(.get, "/") == "404")
    #expect(Router().freeze().outcome(.options, "*") == "204 OPTIONS")
  }
}
