import Heddle
import Testing

/// `PATCH /api/pool`.
@Suite struct PoolChangeTests {
  private func patch(_ server: TestServer, _ body: String) throws -> Reply {
    try server.exchange("PATCH", "/api/pool", body: Array(body.utf8))
  }

  @Test func limitsChangeWhileItRuns() throws {
    try TestServer(min: 2, max: 4).run { server in
      let reply = try patch(server, #"{"minThreads":3,"maxThreads":9,"idleTimeout":0.25}"#)
      #expect(reply.status == 200)
      let pool = try reply.json(PoolShape.self)
      #expect(pool.minThreads == 3 && pool.maxThreads == 9 && pool.idleTimeout == 0.25)
      #expect(try server.get("/api/pool").json(PoolShape.self).maxThreads == 9)
      #expect(try server.events().count("limitsChanged") == 1)
      // The new minimum is made up for although no request comes.
      #expect(try eventually { try server.threads().counts.total == 3 })
    }
  }

  @Test(arguments: [
    (#"{"minThreads":1}"#, "at least 2"),
    (#"{"minThreads":5}"#, "maxThreads"),
    (#"{"maxThreads":1}"#, "maxThreads"),
    (#"{"maxThreads":2.5}"#, "whole number"),
    (#"{"maxThreads":"8"}"#, "must be a number"),
    (#"{"maxThreads":null}"#, "must be a number"),
    (#"{"idleTimeout":0}"#, "0.01"),
    (#"{"idleTimeout":-1}"#, "0.01"),
    (#"{"queueLimit":5}"#, "cannot be changed"),
    (#"{"a":1,"maxThreads":true}"#, "a cannot be changed"),
    ("{}", "nothing to change"), ("[]", "JSON object"), ("", "JSON object"), ("{", "JSON object"),
  ])
  func badChangesAreRefusedWithReasons(_ body: String, _ reason: String) throws {
    try TestServer(min: 2, max: 4).run { server in
      let reply = try patch(server, body)
      #expect(reply.status == 400)
      let detail = try reply.json(ProblemShape.self).detail ?? ""
      #expect(detail.contains(reason), "\(detail)")
      let pool = try server.get("/api/pool").json(PoolShape.self)
      #expect(pool.minThreads == 2 && pool.maxThreads == 4 && pool.idleTimeout == 30)
    }
  }
}
