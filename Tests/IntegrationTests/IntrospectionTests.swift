import Heddle
import Testing

/// The routes of docs/api.md: their JSON decodes into structs that mirror it name for name.
@Suite struct IntrospectionTests {
  @Test func theIndexListsWhatIsThere() throws {
    try TestServer(lab: true).run { server in
      let client = try server.connect()
      let index = try client.exchange("GET", "/api").json(IndexShape.self)
      #expect(index.schema.hasPrefix("heddle/"))
      let paths = index.routes.map(\.path)
      for path in [
        "/healthz", "/readyz", "/metrics", "/api/threads", "/api/locks", "/api/stats", "/api/events", "/api/pool",
      ] {
        #expect(paths.contains(path), "\(path)")
      }
      for route in index.routes where route.method == "GET" {
        let reply = try client.exchange(route.method, route.path)
        #expect(reply.status == 200, "\(route.path)")
        #expect(!route.summary.isEmpty)
        if route.path != "/metrics" { #expect(reply["Content-Type"] == "application/json", "\(route.path)") }
        // Figures of a moment are not to be kept by anybody in between.
        #expect(reply["Cache-Control"] == "no-store", "\(route.path)")
      }
    }
  }

  @Test func healthIsToldInOneWord() throws {
    try TestServer().run { server in
      let client = try server.connect()
      #expect(try client.exchange("GET", "/healthz").json(HealthShape.self).status == "ok")
      #expect(try client.exchange("GET", "/readyz").text == #"{"status":"ok"}"# + "\n")
    }
  }

  @Test func threadsShowWhatTheyDo() throws {
    let latch = Latch()
    let server = try TestServer(
      min: 3, max: 9,
      routes: { router in
        router.get("/wait/:what") { _ in
          latch.wait()
          return .text("done")
        }
      })
    try server.run { server in
      defer { latch.open() }
      let client = try server.connect()
      try client.send("GET", "/wait/here?q=1")
      #expect(latch.waitForArrivals(1))
      #expect(try eventually { try server.threads().counts.blocked == 1 })
      let document = try server.threads()
      #expect(document.schema == "heddle/threads/1")
      let counts = document.counts
      #expect(counts.min == 3 && counts.max == 9)
      #expect(counts.total == document.workers.count)
      #expect(counts.total == counts.idle + counts.running + counts.blocked + counts.quarantined)
      #expect(counts.spawnedTotal == counts.total + counts.endedTotal)
      #expect(counts.peak >= counts.total)
      #expect(document.threads.filter { $0.role == "main" }.count == 1)
      #expect(Set(document.threads.map(\.tid)).count == document.threads.count)
      #expect(Set(document.threads.map(\.name)).count == document.threads.count)
      let states: Set = ["starting", "idle", "leading", "running", "blocked", "stuck", "quarantined", "ending"]
      #expect(document.threads.allSatisfy { states.contains($0.state) })
      for worker in document.workers {
        #expect(worker.name == "worker-\(worker.id)")
        #expect(worker.stackBytes == 512 * 1024)
        #expect(worker.since != nil && worker.requestsTotal != nil && worker.errorsTotal != nil)
        #expect(worker.cpuSeconds.map { $0 >= 0 } == true)
      }
      let busy = try #require(document.workers.first { $0.state == "blocked" })
      // The route, and never the path that a client chose.
      #expect(busy.request?.route == "/wait/:what")
      #expect(busy.request?.method == "GET")
      #expect(busy.request?.id.utf8.count == 16)
      latch.open()
      _ = try client.receive()
    }
  }

  @Test func aThreadThatWaitsForALockNamesItsOwner() throws {
    let lock = Lock("introspection-test")
    let latch = Latch()
    let server = try TestServer(routes: { router in
      router.get("/hold") { _ in
        lock.withLock { latch.wait() }
        return .text("held")
      }
      router.get("/want") { _ in
        lock.withLock {}
        return .text("had")
      }
    })
    try server.run { server in
      defer { latch.open() }
      let (holder, waiter) = (try server.connect(), try server.connect())
      try holder.send("GET", "/hold")
      #expect(latch.waitForArrivals(1))
      try waiter.send("GET", "/want")
      #expect(
        try eventually { try server.threads().workers.contains { $0.waitingFor?.lock == "introspection-test" } })
      let workers = try server.threads().workers
      let waiting = try #require(workers.first { $0.waitingFor?.lock == "introspection-test" })
      let holding = try #require(workers.first { $0.request?.route == "/hold" })
      #expect(waiting.state == "blocked")
      #expect(waiting.waitingFor?.owner == holding.name)
      let locks = try server.get("/api/locks").json(LocksShape.self)
      #expect(locks.schema == "heddle/locks/1")
      let row = try #require(locks.locks.first { $0.name == "introspection-test" })
      #expect(row.kind == "mutex")
      #expect(row.owner == holding.name)
      #expect(row.waiters == [waiting.name])
      latch.open()
      #expect(try holder.receive().text == "held")
      #expect(try waiter.receive().text == "had")
      let after = try server.get("/api/locks").json(LocksShape.self)
      let free = try #require(after.locks.first { $0.name == "introspection-test" })
      #expect(free.acquisitionsTotal == 2)
      #expect(free.contentionsTotal == 1)
      #expect(free.waitSecondsTotal > 0 && free.waitSecondsMax > 0)
    }
  }

  @Test func statsAddUp() throws {
    try TestServer(lab: true, set: { $0.pool.queueLimit = 77 }).run { server in
      let client = try server.connect()
      for target in ["/plaintext", "/plaintext", "/lab/throw", "/nothing"] { _ = try client.exchange("GET", target) }
      let stats = try client.exchange("GET", "/api/stats").json(StatsShape.self)
      #expect(stats.schema == "heddle/stats/1")
      #expect(stats.startedAt.hasSuffix("Z") && stats.startedAt.utf8.count == 20)
      #expect(stats.uptime > 0)
      // The request for the figures is in flight itself.
      #expect(stats.requests.total == 5)
      #expect(stats.requests.inFlight == 1)
      #expect(stats.requests.byStatus == ["2xx": 2, "4xx": 1, "5xx": 1])
      #expect(stats.requests.duration.max >= stats.requests.duration.p50)
      #expect(stats.queue.limit == 77)
      #expect(stats.connections.active == 1 && stats.connections.acceptedTotal == 1)
      #expect(stats.connections.limit == 10_000)
      #expect(stats.failures.thrownTotal == 1)
      #expect(stats.threads.total == 2)
      #expect(stats.process.residentBytes > 1_000_000 && stats.process.openFileDescriptors > 3)
    }
  }

  @Test func eventsContinueWhereTheLastReadingEnded() throws {
    try TestServer(min: 3).run { server in
      let client = try server.connect()
      // A worker may be at work a moment before its event is written.
      #expect(try eventually { try server.events().count("spawned", "start") == 3 })
      let all = try client.exchange("GET", "/api/events").json(EventsShape.self)
      #expect(all.schema == "heddle/events/1")
      #expect(all.count("spawned", "start") == 3)
      #expect(all.events.map(\.id) == Array(1...all.lastId))
      #expect(all.events.allSatisfy { $0.worker != nil })
      let rest = try client.exchange("GET", "/api/events?since=2").json(EventsShape.self)
      #expect(rest.events.first?.id == 3)
      #expect(try client.exchange("GET", "/api/events?since=\(all.lastId)").json(EventsShape.self).events.isEmpty)
      #expect(try client.exchange("GET", "/api/events?since=x").status == 400)
    }
  }

  @Test func thePoolShowsItsSettings() throws {
    try TestServer(min: 2, max: 5, idleTimeout: .milliseconds(1500)).run { server in
      let pool = try server.get("/api/pool").json(PoolShape.self)
      #expect(pool.minThreads == 2 && pool.maxThreads == 5)
      #expect(pool.idleTimeout == 1.5)
    }
  }

  @Test func introspectionCanBeLeftOutAndReplaced() throws {
    let server = try TestServer(
      set: { $0.introspection = false }, routes: { $0.get("/healthz") { _ in .text("mine") } })
    try server.run { server in
      let client = try server.connect()
      #expect(try client.exchange("GET", "/healthz").text == "mine")
      for path in ["/", "/api", "/api/stats", "/metrics"] { #expect(try client.exchange("GET", path).status == 404) }
    }
  }
}
