import Heddle
import Testing

/// What goes wrong in a handler stays in its request.
@Suite struct FailureTests {
  @Test func aHundredThrownErrorsTouchNobodyElse() throws {
    // As many as there may be, so that what changes their number can only be a thread that was lost.
    try TestServer(min: 4, max: 4, lab: true).run { server in
      let client = try server.connect()
      // The threads that there are once the load is known.
      let before = try server.threads().counts
      let others = try Background { () throws -> Int in
        let client = try RawClient(port: server.port)
        return try (0..<100).count { _ in try client.exchange("GET", "/plaintext").text == "Hello, World!" }
      }
      for _ in 0..<100 {
        let reply = try client.exchange("GET", "/lab/throw")
        #expect(reply.status == 500)
        #expect(reply["Content-Type"] == "application/problem+json")
        #expect(!reply.closes)
      }
      #expect(try others.value() == 100)
      let after = try server.threads()
      #expect(after.counts.total == before.total)
      #expect(after.counts.spawnedTotal == before.spawnedTotal)
      #expect(after.counts.endedTotal == 0)
      #expect(after.workers.reduce(0) { $0 + ($1.errorsTotal ?? 0) } == 100)
      let stats = try server.stats()
      #expect(stats.failures.thrownTotal == 100)
      #expect(stats.requests.byStatus["5xx"] == 100)
      #expect(server.lines.withLock { $0.count { $0.contains("/lab/throw failed") } } == 100)
    }
  }

  private struct Teapot: ResponseError {
    var status: Status { Status(code: 418) ?? .internalServerError }
    var title: String? { "short and stout" }
    var headers: HeaderFields { ["X-Spout": "here"] }
  }

  @Test func anErrorThatIsAnAnswerIsGiven() throws {
    let server = try TestServer(routes: { router in
      router.get("/conflict") { _ in
        throw HTTPError(.conflict, "somebody was faster", headers: ["Retry-After": "7", "X-Version": "3"])
      }
      router.get("/tea") { _ in throw Teapot() }
      router.get("/inline", options: RouteOptions(isInline: true)) { _ in throw Teapot() }
    })
    try server.run { server in
      let client = try server.connect()
      let conflict = try client.exchange("GET", "/conflict")
      #expect(conflict.status == 409)
      #expect(conflict["Retry-After"] == "7" && conflict["X-Version"] == "3")
      let problem = try conflict.json(ProblemShape.self)
      #expect(problem.detail == "somebody was faster" && problem.title == "Conflict" && problem.status == 409)
      for target in ["/tea", "/inline"] {
        let tea = try client.exchange("GET", target)
        #expect(tea.status == 418 && tea["X-Spout"] == "here")
        #expect(try tea.json(ProblemShape.self).title == "short and stout")
      }
    }
  }

  @Test func thrownErrorsAreThoseThatAreNoAnswers() throws {
    let server = try TestServer(lab: true, routes: { $0.get("/conflict") { _ in throw HTTPError(.conflict) } })
    try server.run { server in
      let client = try server.connect()
      _ = try client.exchange("GET", "/conflict")
      _ = try client.exchange("GET", "/lab/throw")
      let stats = try client.exchange("GET", "/api/stats").json(StatsShape.self)
      #expect(stats.failures.thrownTotal == 1)
      // A handler's plain "no" is nothing that an operator has to read.
      #expect(server.lines.withLock { $0.count { $0.contains("failed") } } == 1)
    }
  }
}
