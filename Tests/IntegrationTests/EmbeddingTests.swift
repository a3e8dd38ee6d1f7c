import FoundationEssentials
import Heddle
import Testing

/// A program that embeds the server, as the README shows one.
@Suite struct EmbeddingTests {
  struct Greeting: Codable, Equatable {
    var name: String
    var length: Int
  }

  @Test func aProgramOfFifteenLinesServes() throws {
    // The program.
    var router = Router()
    router.use { request, next in
      var response = try next(request)
      response.headers["X-Served-By"] = "heddle"
      return response
    }
    router.get("/hello/:name") { request in
      let name = request.parameter("name") ?? ""
      return .json(bytes: Array(try JSONEncoder().encode(Greeting(name: name, length: name.count))))
    }
    router.get("/files/*") { request in .text("file \(request.wildcard ?? "")\n") }
    router.post("/hello") { request in
      let greeting = try JSONDecoder().decode(Greeting.self, from: Data(request.body))
      return .text("hello \(greeting.name)", status: .created)
    }
    var configuration = ServerConfiguration(port: 0)
    configuration.log = Log(level: .error)
    let server = try Server(router: router, configuration: configuration)
    try server.start()
    defer { server.stop() }

    // Its clients.
    let client = try RawClient(port: server.port)
    let hello = try client.exchange("GET", "/hello/J%C3%BCrgen")
    #expect(hello.status == 200)
    #expect(hello["Content-Type"] == "application/json")
    #expect(hello["X-Served-By"] == "heddle")
    #expect(try hello.json(Greeting.self) == Greeting(name: "Jürgen", length: 6))
    #expect(try client.exchange("GET", "/files/a/b%20c.txt").text == "file a/b c.txt\n")
    let created = try client.exchange("POST", "/hello", body: Array(#"{"name":"Ada","length":3}"#.utf8))
    #expect(created.status == 201)
    #expect(created.text == "hello Ada")
    #expect(server.url == "http://127.0.0.1:\(server.port)")
  }

  @Test func anErrorOfMiddlewareIsAnAnswer() throws {
    try TestServer(routes: { router in
      router.group(
        "/admin",
        middleware: [
          { request, next in
            guard request.header("Authorization") == "Bearer x" else {
              throw HTTPError(.unauthorized, "a token is wanted", headers: ["WWW-Authenticate": "Bearer"])
            }
            return try next(request)
          }
        ]
      ) { $0.get("/door") { _ in .text("open") } }
    }).run { server in
      let refused = try server.get("/admin/door")
      #expect(refused.status == 401)
      #expect(refused["WWW-Authenticate"] == "Bearer")
      #expect(try server.get("/admin/door", ["Authorization: Bearer x"]).text == "open")
      // Middleware does not stand around what the server itself answers.
      #expect(try server.get("/admin/nothing").status == 404)
      #expect(try server.get("/healthz")["X-Served-By"] == nil)
    }
  }

  @Test func aServerThatCannotListenSaysWhere() throws {
    try TestServer().run { server in
      let error = #expect(throws: ListenError.self) {
        try Server(router: Router(), configuration: ServerConfiguration(port: server.port))
      }
      #expect(error?.port == server.port)
      #expect(error?.description.contains("127.0.0.1:\(server.port)") == true)
    }
  }

  @Test func aDrainBeforeTheStartEndsAtOnce() throws {
    var configuration = ServerConfiguration(port: 0)
    configuration.log = Log(level: .error)
    let server = try Server(router: Router(), configuration: configuration)
    server.drain()
    #expect(try server.serve() == .drained)
  }
}
