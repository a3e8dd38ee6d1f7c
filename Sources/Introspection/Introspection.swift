import CPlatform
import Glibc
package import HTTPMessages
import Locks
import Metrics
import WorkerPool

/// The routes that show what a server does: JSON, metrics and health.
///
/// All of them are inline: the leading thread answers them itself, so that they answer while every worker is blocked.
package final class Introspection: Sendable {
  private let source: IntrospectionSource
  private let startedAt = heddle_now()
  private let startedAtSince1970 = Double(heddle_clock_nanoseconds(CLOCK_REALTIME)) / 1e9
  private let rate: Locked<RateWindow>

  /// Shows the server that the source speaks of, as started now.
  package init(_ source: IntrospectionSource) {
    self.source = source
    rate = Locked("introspection.rate", RateWindow(startedAt: startedAt))
  }

  /// What `/api` lists, in this order.
  static let index: [IndexDocument.Entry] = [
    .init(method: "GET", path: "/healthz", summary: "whether the process works; 503 with reasons when not"),
    .init(method: "GET", path: "/readyz", summary: "whether it takes requests; 503 with reasons when not"),
    .init(method: "GET", path: "/metrics", summary: "metrics for Prometheus; OpenMetrics where Accept asks for it"),
    .init(method: "GET", path: "/api", summary: "this list"),
    .init(method: "GET", path: "/api/threads", summary: "thread counts, and every thread"),
    .init(method: "GET", path: "/api/locks", summary: "contention per lock"),
    .init(method: "GET", path: "/api/stats", summary: "the live figures"),
    .init(method: "GET", path: "/api/events", summary: "what happened to the pool's threads; ?since=ID"),
    .init(method: "GET", path: "/api/pool", summary: "the pool's settings and counts"),
    .init(method: "PATCH", path: "/api/pool", summary: "changes minThreads, maxThreads, idleTimeout"),
  ]

  /// Adds the routes to a router. `introspection` is asked for at each request, since it is made after the routes are.
  package static func addRoutes(
    to router: inout Router, _ introspection: @escaping @Sendable () throws -> Introspection
  ) {
    func get(_ path: String, _ answer: @escaping @Sendable (Introspection, Request) throws -> Response) {
      router.addIfFree(.get, path, options: RouteOptions(isInline: true)) { try answer(introspection(), $0) }
    }
    get("/healthz") { shown, _ in try shown.health(deadlockReasons) }
    get("/readyz") { shown, _ in try shown.health(shown.reasonsNotReady) }
    get("/metrics") { shown, request in shown.metrics(request) }
    get("/api") { _, _ in try JSONDocument.response(IndexDocument(server: "heddle", routes: index)) }
    get("/api/threads") { shown, _ in
      try JSONDocument.response(ThreadsDocument(shown.source.pool.statistics(), source: shown.source))
    }
    get("/api/locks") { _, _ in
      try JSONDocument.response(
        LocksDocument(LockRegistry.snapshot(), deadlocks: LockDeadlock.find(in: LockWaits.snapshot())))
    }
    get("/api/stats") { shown, _ in try JSONDocument.response(StatsDocument(shown.snapshot())) }
    get("/api/events") { shown, request in try shown.events(request) }
    get("/api/pool") { shown, _ in try shown.pool() }
    router.addIfFree(.patch, "/api/pool", options: RouteOptions(isInline: true, maxBodyBytes: 512)) {
      try introspection().changePool($0)
    }
  }

  // MARK: answers

  private func health(_ reasons: [String]) throws -> Response {
    try JSONDocument.response(HealthDocument(reasons: reasons), status: reasons.isEmpty ? .ok : .serviceUnavailable)
  }

  /// For how long every thread may be taken before the server is called saturated: shorter bursts are what queues are for.
  private static let saturationSeconds = 1.0

  /// Two looks: what a snapshot of moving threads shows as a circle may never have been one, a deadlock is there again.
  private static var deadlockReasons: [String] {
    let first = LockDeadlock.find(in: LockWaits.snapshot())
    guard !first.isEmpty else { return [] }
    let second = LockDeadlock.find(in: LockWaits.snapshot())
    return first.contains(where: second.contains) ? ["deadlock"] : []
  }

  private var reasonsNotReady: [String] {
    var reasons = Introspection.deadlockReasons
    if source.isDraining() { reasons.append("draining") }
    if source.pool.saturatedSeconds > Introspection.saturationSeconds { reasons.append("saturated") }
    return reasons
  }

  private func metrics(_ request: Request) -> Response {
    let families = MetricsPage.families(snapshot())
    let isOpenMetrics = request.header("Accept")?.contains("application/openmetrics-text") ?? false
    let text = isOpenMetrics ? OpenMetricsEncoder.encode(families) : PrometheusEncoder.encode(families)
    var response = Response(body: .bytes(text))
    response.headers["Content-Type"] =
      isOpenMetrics ? OpenMetricsEncoder.contentType : PrometheusEncoder.contentType
    response.headers["Cache-Control"] = "no-store"
    return response
  }

  private func pool() throws -> Response {
    let pool = source.pool
    return try JSONDocument.response(
      PoolDocument(pool.statistics(), configuration: pool.configuration, lanes: pool.lanes.count))
  }

  /// Changes the pool's limits; answers with what holds then. From this machine only, as long as there is no other way to tell
  /// who may.
  private func changePool(_ request: Request) throws -> Response {
    guard request.isFromLoopback else {
      throw HTTPError(.forbidden, "the pool can be changed from a loopback address only")
    }
    let limits = try PoolPatch(request.body).applied(to: source.pool.limits)
    do {
      try source.pool.setLimits(limits)
    } catch {
      throw HTTPError(.badRequest, "\(error)")
    }
    return try pool()
  }

  private func events(_ request: Request) throws -> Response {
    var since: UInt64 = 0
    if let text = request.query("since") {
      guard let id = UInt64(text) else {
        throw HTTPError(.badRequest, "since must be the number of an event (0 or more), not “\(text)”")
      }
      since = id
    }
    return try JSONDocument.response(
      EventsDocument(source.pool.events, since: since, startedAt: startedAt, now: heddle_now()))
  }

  private func snapshot() -> ServerSnapshot {
    let now = heddle_now()
    let http = source.http()
    let answered = http.answeredTotal
    return ServerSnapshot(
      http: http, pool: source.pool.statistics(), locks: LockRegistry.snapshot(), process: .read(),
      uptime: Double(now - startedAt) / 1e9, startedAt: startedAtSince1970,
      requestsPerSecond: rate.withLock { $0.perSecond(now: now, total: answered) },
      isDraining: source.isDraining())
  }
}

/// A request's identifier as clients and logs see it.
func requestIDText(_ id: UInt64) -> String { RequestID(id).description }
