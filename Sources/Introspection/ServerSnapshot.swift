package import Locks
package import Metrics
package import WorkerPool

/// Everything that introspection shows, as it was at one moment. Taken first, rendered afterwards: no lock is held meanwhile.
package struct ServerSnapshot: Sendable {
  package var http: HTTPStatistics
  package var pool: PoolStatistics
  package var locks: [LockStatistics]
  package var process: ProcessFigures
  /// Seconds since the server started.
  package var uptime: Double
  /// When the server started: seconds since 1970.
  package var startedAt: Double
  /// Requests per second over the last seconds.
  package var requestsPerSecond: Double
  package var isDraining: Bool

  package init(
    http: HTTPStatistics, pool: PoolStatistics, locks: [LockStatistics], process: ProcessFigures, uptime: Double,
    startedAt: Double, requestsPerSecond: Double, isDraining: Bool
  ) {
    self.http = http
    self.pool = pool
    self.locks = locks
    self.process = process
    self.uptime = uptime
    self.startedAt = startedAt
    self.requestsPerSecond = requestsPerSecond
    self.isDraining = isDraining
  }
}
