import Heddle
import Testing

/// What HTTP asks of every answer.
@Suite struct SemanticsTests {
  @Test(arguments: [
    "/plaintext", "/json", "/lab/blob?bytes=100000", "/healthz", "/api", "/api/pool", "/", "/nothing", "/lab/throw",
  ])
  func headIsGetWithoutBody(target: String) throws {
    try TestServer(lab: true).run { server in
      let client = try server.connect()
      let get = try client.exchange("GET", target)
      let head = try client.exchange("HEAD", target)
      #expect(head.status == get.status)
      #expect(head.fieldNames == get.fieldNames)
      #expect(head["Content-Type"] == get["Content-Type"])
      #expect(head["Content-Length"] == get["Content-Length"])
      // A body behind the head would be taken for the next answer.
      #expect(try client.exchange("GET", "/plaintext").text == "Hello, World!")
    }
  }

  @Test func labRoutesAnswerAsPublished() throws {
    try TestServer(lab: true).run { server in
      let client = try server.connect()
      let plaintext = try client.exchange("GET", "/plaintext")
      #expect(plaintext.body == Array("Hello, World!".utf8))
      #expect(plaintext["Content-Type"] == "text/plain")
      #expect(plaintext["Content-Length"] == "13")
      let json = try client.exchange("GET", "/json")
      #expect(json.text == #"{"message":"Hello, World!"}"#)
      #expect(json["Content-Type"] == "application/json")
      #expect(try client.exchange("GET", "/lab/blob?bytes=5").body.count == 5)
      #expect(try client.exchange("GET", "/lab/sleep?ms=1").status == 200)
      #expect(try client.exchange("GET", "/lab/cpu?ms=1").status == 200)
      #expect(try client.exchange("GET", "/lab/lock?name=semantics&hold-us=1").status == 200)
      for bad in ["/lab/sleep?ms=x", "/lab/sleep?ms=60001", "/lab/lock?name=a/b", "/lab/blob?bytes=-1"] {
        #expect(try client.exchange("GET", bad).status == 400, "\(bad)")
      }
      for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "PROPFIND"] {
        #expect(try client.exchange(method, "/echo", body: [1, 2]).body == [1, 2], "\(method)")
      }
    }
  }

  @Test func everyAnswerHasADateAndErrorsHaveARequestID() throws {
    try TestServer(lab: true).run { server in
      let client = try server.connect()
      for (target, status) in [("/nothing", 404), ("/lab/throw", 500), ("/lab/sleep?ms=x", 400), ("/plaintext", 200)] {
        let reply = try client.exchange("GET", target)
        #expect(reply.status == status)
        let date = try #require(reply["Date"])
        #expect(date.hasSuffix(" GMT") && date.utf8.count == 29, "\(date)")
        guard status >= 400 else { continue }
        #expect(reply["Content-Type"] == "application/problem+json")
        let problem = try reply.json(ProblemShape.self)
        #expect(problem.status == status)
        #expect(!problem.title.isEmpty)
        let id = try #require(problem.requestId)
        #expect(reply["X-Request-Id"] == id)
        #expect(id.utf8.count == 16)
        if status == 500 {
          // The cause goes to the log, under the id that the client has, and not to the client.
          #expect(!reply.text.contains("on purpose"))
          #expect(server.lines.withLock { $0.contains { $0.contains(id) && $0.contains("on purpose") } })
        }
      }
    }
  }

  @Test func wrongMethodsAreToldTheRightOnes() throws {
    try TestServer(lab: true).run { server in
      let client = try server.connect()
      for (method, target) in [
        ("POST", "/plaintext"), ("DELETE", "/healthz"), ("PUT", "/api/stats"), ("BREW", "/json"),
      ] {
        let reply = try client.exchange(method, target)
        #expect(reply.status == 405, "\(method) \(target)")
        #expect(reply["Allow"] == "GET, HEAD, OPTIONS")
        #expect(try reply.json(ProblemShape.self).requestId == reply["X-Request-Id"])
      }
      // A body that nobody asked for is read to its end, so that the connection can go on.
      #expect(try client.exchange("POST", "/plaintext", body: [1, 2, 3]).status == 405)
      #expect(try client.exchange("POST", "/nothing", body: [1, 2, 3]).status == 404)
      #expect(try client.exchange("GET", "/plaintext").status == 200)
    }
  }

  @Test func optionsTellWhatIsAllowed() throws {
    try TestServer(lab: true).run { server in
      let client = try server.connect()
      let reply = try client.exchange("OPTIONS", "/plaintext")
      #expect(reply.status == 204)
      #expect(reply["Allow"] == "GET, HEAD, OPTIONS")
      #expect(reply["Content-Length"] == nil)
      let all = try client.exchange("OPTIONS", "*")
      #expect(all.status < 300)
      #expect(all["Allow"]?.contains("GET") == true)
      #expect(try client.exchange("OPTIONS", "/nothing").status == 404)
    }
  }

  @Test func handlersCannotSpoilTheFraming() throws {
    try TestServer(routes: { router in
      router.get("/split") { request in
        var response = Response.text("x")
        response.headers["X-Said"] = request.query("said")
        response.headers["Content-Length"] = "100"
        response.headers["Transfer-Encoding"] = "chunked"
        response.headers["Connection"] = "upgrade"
        return response
      }
      router.get("/empty") { _ in .empty() }
    }).run { server in
      let client = try server.connect()
      let reply = try client.exchange("GET", "/split?said=a%0D%0AX-Evil:%201")
      #expect(reply["X-Evil"] == nil)
      #expect(reply.values("Content-Length") == ["1"])
      #expect(reply["Transfer-Encoding"] == nil)
      #expect(reply.text == "x")
      let empty = try client.exchange("GET", "/empty")
      #expect(empty.status == 204)
      #expect(empty["Content-Length"] == nil)
      #expect(try client.exchange("GET", "/split").text == "x")
    }
  }
}
