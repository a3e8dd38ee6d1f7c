import Glibc
import Heddle
import Testing

/// Requests that take longer than they may.
@Suite struct TimeLimitTests {
  @Test func aHandlerThatTakesTooLongIsAnsweredFor() throws {
    let latch = Latch()
    let wasTold = Locked("test.told", false)
    try TestServer(routes: { router in
      router.get("/slow", options: RouteOptions(timeout: .milliseconds(30))) { request in
        // Until it is told, whatever the clock says: at the latest when the test gives up waiting for its answer.
        while !request.isCancelled { Pause.milliseconds(1) }
        wasTold.withLock { $0 = true }
        latch.wait()
        return .text("too late")
      }
      router.get("/quick") { _ in .text("quick") }
    }).run { server in
      let client = try server.connect()
      let reply = try client.exchange("GET", "/slow")
      #expect(reply.status == 504)
      #expect(try reply.json(ProblemShape.self).status == 504)
      // The handler still runs; its connection goes on without it.
      #expect(try client.exchange("GET", "/quick").text == "quick")
      #expect(latch.waitForArrivals(1))
      #expect(wasTold.withLock { $0 })
      let stats = try server.stats()
      #expect(stats.failures.timeoutsTotal == 1)
      #expect(stats.requests.byStatus["5xx"] == 1)
      latch.open()
    }
  }

  @Test func aRequestThatStillWaitsForAThreadIsAnsweredForAndNeverRun() throws {
    let latch = Latch()
    let runs = Locked("test.runs", 0)
    try TestServer(
      min: 2, max: 2,
      routes: { router in
        router.get("/block") { _ in
          latch.wait()
          return .text("done")
        }
        router.get("/limited", options: RouteOptions(timeout: .milliseconds(30))) { _ in
          runs.withLock { $0 += 1 }
          return .text("ran")
        }
      }
    ).run { server in
      let blocked = try server.connect()
      try blocked.send("GET", "/block")
      #expect(latch.waitForArrivals(1))
      #expect(try server.get("/limited").status == 504)
      latch.open()
      #expect(try blocked.receive().status == 200)
      // One thread, in order: had the expired request been run, it would have been before this one.
      #expect(try server.get("/block").status == 200)
      #expect(runs.withLock { $0 } == 0)
    }
  }

  @Test func theServersLimitHoldsUnlessTheRouteSaysOtherwise() throws {
    try TestServer(
      set: { $0.http.requestTimeout = .milliseconds(20) },
      routes: { router in
        router.get("/limited") { request in
          while !request.isCancelled { Pause.milliseconds(1) }
          return .text("late")
        }
        router.get("/unlimited", options: RouteOptions(timeout: .zero)) { request in
          Pause.milliseconds(60)
          return .text(request.isCancelled ? "cancelled" : "in time")
        }
      }
    ).run { server in
      let (limited, unlimited) = (try server.get("/limited"), try server.get("/unlimited"))
      #expect(limited.status == 504)
      #expect(unlimited.text == "in time")
    }
  }

  /// The answer of a handler and its time limit come at about the same moment, over and over: each request gets one of the two.
  @Test func answersAndLimitsRace() throws {
    try TestServer(
      min: 3, max: 12,
      routes: { router in
        router.get("/race", options: RouteOptions(timeout: .milliseconds(2))) { _ in
          usleep(UInt32.random(in: 500...3500))
          return .text("ok")
        }
      }
    ).run { server in
      let port = server.port
      let counts = try inParallel(4) { _ -> [Int: Int] in
        let client = try RawClient(port: port)
        return try (0..<150).reduce(into: [:]) { counts, _ in
          counts[try client.exchange("GET", "/race").status, default: 0] += 1
        }
      }
      let total = counts.reduce(into: [:] as [Int: Int]) { $0.merge($1, uniquingKeysWith: +) }
      #expect(total[200, default: 0] + total[504, default: 0] == 600, "\(total)")
      #expect(Int(try server.stats().failures.timeoutsTotal) == total[504, default: 0])
    }
  }
}
