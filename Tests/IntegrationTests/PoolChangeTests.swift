import Heddle
import Synchronization
import Testing
import WorkerPool

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

  /// Each change says what was achieved before and after it: here that answers take longer afterwards.
  @Test func aChangeIsSetBesideWhatWasAchieved() throws {
    let pause = Atomic<Int>(1)
    let server = try TestServer(
      min: 2, max: 8, set: { $0.pool.sampleNanoseconds = 100_000_000 },
      routes: { router in
        router.get("/slow") { _ in
          Pause.milliseconds(pause.load(ordering: .relaxed))
          return .text("done")
        }
      })
    try server.run { server in
      let isOver = Atomic<Bool>(false)
      let load = try (0..<4).map { _ in
        try Background {
          let client = try server.connect()
          var count = 0
          while !isOver.load(ordering: .relaxed) {
            #expect(try client.exchange("GET", "/slow").status == 200)
            count += 1
          }
          return count
        }
      }
      /// Changes the pool until such a change has figures of both sides that the caller likes: on a busy machine samples may be
      /// too far apart.
      func change(_ isGood: (EventsShape.Performance, EventsShape.Performance) -> Bool) throws -> Bool {
        var last = 0
        return try eventually {
          #expect(try patch(server, #"{"maxThreads":9}"#).status == 200)
          // The latest ones, since a document holds 500 at most.
          let events = try server.get("/api/events?since=\(max(0, last - 400))").json(EventsShape.self)
          last = events.lastId
          return events.events.contains { event in
            guard let before = event.before, let after = event.after else { return false }
            return event.kind == "limitsChanged" && isGood(before, after)
          }
        }
      }
      let foundFast = try change { before, after in
        (0.1...0.5).contains(before.seconds) && before.requestsPerSecond > 0 && (before.p99 ?? 0) >= 0.001
          && (0.1...0.5).contains(after.seconds) && after.requestsPerSecond > 0 && (after.p99 ?? 0) >= 0.001
      }
      pause.store(60, ordering: .relaxed)
      // The histogram since the start would still be full of short ones: the difference is not.
      let foundSlow = try change { _, after in (after.p99 ?? 0) >= 0.055 }
      isOver.store(true, ordering: .relaxed)
      let counts = try load.map { try $0.value() }
      #expect(foundFast && foundSlow)
      #expect(counts.allSatisfy { $0 > 0 })
    }
  }
}
