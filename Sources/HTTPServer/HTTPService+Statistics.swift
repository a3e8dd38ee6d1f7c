import HTTPMessages
package import Metrics
import WorkerPool

extension HTTPService {
  /// The figures of this moment.
  package func statistics() -> HTTPStatistics {
    var result = HTTPStatistics()
    result.queueFullTotal = core.queueFull.value
    result.connectionLimit = core.configuration.maxConnections
    for figures in lanes.map(\.figures) {
      // Ends before beginnings: a request that ends in between is then counted as in flight rather than twice as ended.
      result.answeredTotal += figures.answered.value
      result.abandonedTotal += figures.abandoned.value
      result.abortedTotal += figures.aborted.value
      result.requestsTotal += figures.requests.value
      result.connectionsOpen += figures.connectionsOpen.value
      result.connectionsAcceptedTotal += figures.connectionsAccepted.value
      result.drainExpiredTotal += figures.expired.value
      result.timedOutTotal += figures.timedOut.value
      result.suspensionsTotal += figures.suspensions.value
      result.passesTotal += figures.passes.value
    }
    let bulkheads = core.runtimes.bulkheads
    for (entry, figures) in zip(bulkheads, pool.figures(of: bulkheads.map(\.bulkhead))) {
      result.add(
        HTTPStatistics.Bulkhead(
          route: routeLabel(entry.route), limit: figures.limit, waitingLimit: figures.waitingLimit,
          running: figures.running, waiting: figures.waiting, rejectedTotal: figures.refusedTotal))
    }
    var totals = HistogramTotals()
    let contexts = pool.contextsOfAllWorkers.compactMap { $0 as? WorkerContext }
    for context in contexts + [core.monitorContext] {
      totals.absorb(context.durations.snapshot())
      result.duration += context.latency.snapshot()
      result.queueWait += context.queueWait.snapshot()
      result.queueWaits += context.queueWaits.snapshot()
      result.thrownTotal += context.thrown.value
    }
    result.overflow = totals.overflowTotal
    result.rows = totals.histograms.compactMap { row(key: $0.key, $0.value) }.sorted { left, right in
      (left.route, left.method, left.status) < (right.route, right.method, right.status)
    }
    return result
  }

  /// The two figures that the pool's events show, without all the rest.
  static func sample(lanes: [HTTPLane], contexts: [AnyObject]) -> PoolSample {
    var latency = LatencySnapshot()
    for case let context as WorkerContext in contexts { context.latency.add(to: &latency) }
    return PoolSample(answeredTotal: lanes.reduce(0) { $0 + $1.figures.answered.value }, latency: latency)
  }

  private func row(key: UInt64, _ duration: HistogramSnapshot) -> HTTPStatistics.Row? {
    guard key != HistogramTable.overflowKey else { return nil }
    let key = MetricKey(packed: key)
    return HTTPStatistics.Row(
      route: routeLabel(key.route), method: Method.label(code: key.method), status: key.status, duration: duration)
  }

  /// The label of a route by its number, `unmatched` for none.
  package func routeLabel(_ index: Int) -> String {
    core.routes.routes.indices.contains(index) ? core.routes.routes[index].label : "unmatched"
  }
}

extension Method {
  /// The label of a method by its code: all that are not well known are `_OTHER`, as OpenTelemetry names them.
  package static func label(code: UInt8) -> String {
    code < otherCode ? names[Int(code)] : "_OTHER"
  }
}
