import Locks
import Metrics
import WorkerPool

/// `/metrics`: the families of metrics of a snapshot. Dashboards and alerts rely on the names (docs/api.md): they stay as they are.
enum MetricsPage {
  /// Every family, in a fixed order.
  static func families(_ snapshot: ServerSnapshot) -> [MetricFamily] {
    http(snapshot.http) + pool(snapshot.pool, http: snapshot.http) + bulkheads(snapshot.http.bulkheads)
      + locks(snapshot.locks) + process(snapshot.process)
  }

  private static func http(_ http: HTTPStatistics) -> [MetricFamily] {
    [
      MetricFamily(
        "http_server_request_duration_seconds",
        help: "Time from the complete request to the finished answer.", type: .histogram, unit: "seconds",
        samples: http.rows.map { row in
          MetricSample(
            labels: [
              ("http_request_method", row.method), ("http_route", row.route),
              ("http_response_status_code", String(row.status)),
            ], value: .histogram(row.duration))
        }),
      MetricFamily(
        "http_server_active_requests", help: "Requests that are neither answered nor abandoned.", type: .gauge,
        value: .unsigned(http.inFlight)),
      counter("heddle_requests_total", "Requests whose head has come.", http.requestsTotal),
      counter("heddle_requests_answered_total", "Requests that were answered.", http.answeredTotal),
      counter(
        "heddle_requests_abandoned_total", "Requests whose client left before there was an answer.",
        http.abandonedTotal),
      counter("heddle_answers_aborted_total", "Answers that did not get out whole.", http.abortedTotal),
      counter("heddle_connections_accepted_total", "Connections accepted.", http.connectionsAcceptedTotal),
      MetricFamily(
        "heddle_connections", help: "Open connections.", type: .gauge,
        value: .unsigned(http.connectionsOpen)),
      counter(
        "heddle_metrics_overflow_total", "Requests counted without labels: there were too many label sets.",
        http.overflow),
    ]
  }

  private static func pool(_ pool: PoolStatistics, http: HTTPStatistics) -> [MetricFamily] {
    let workers = [("name", "workers")]
    func gauge(_ name: String, _ help: String, _ value: Int) -> MetricFamily {
      MetricFamily(
        name, help: help, type: .gauge, samples: [MetricSample(labels: workers, value: .integer(Int64(value)))])
    }
    let counts = ThreadsDocument.Counts(pool)
    let states = PoolStatistics.WorkerState.allCases.map { state in
      MetricSample(labels: [("state", state.rawValue)], value: .integer(Int64(pool.count(state))))
    }
    let ends = EndReason.allCases.map { reason in
      MetricSample(labels: [("reason", reason.rawValue)], value: .unsigned(pool.ended[reason]))
    }
    let rejections = [
      ("queue_full", http.queueFullTotal), ("bulkhead", pool.bulkheadRejectedTotal), ("shed", pool.shedTotal),
      ("queue_deadline", pool.expiredTotal), ("drain", http.drainExpiredTotal),
    ].map { reason, count in
      MetricSample(labels: [("reason", reason)], value: .unsigned(count))
    }
    let depths = WorkPriority.allCases.map { priority in
      MetricSample(labels: [("priority", priority.name)], value: .integer(Int64(pool.depths[priority] ?? 0)))
    }
    return [
      gauge("executor_pool_size_threads", "Threads of the pool.", counts.total),
      gauge("executor_pool_core_threads", "Threads that are kept when there is nothing to do.", counts.min),
      gauge("executor_pool_max_threads", "The most threads that there may be.", counts.max),
      gauge("executor_active_threads", "Threads that run a handler.", counts.running + counts.blocked),
      gauge("executor_queued_tasks", "Requests that wait for a thread.", pool.queueDepth),
      gauge(
        "executor_queue_remaining_tasks", "How many more requests may wait.", max(0, pool.queueLimit - pool.queueDepth)),
      MetricFamily(
        "executor_completed_tasks_total", help: "Handlers run.", type: .counter,
        samples: [MetricSample(labels: workers, value: .unsigned(pool.runsTotal))]),
      MetricFamily(
        "heddle_queued_requests", help: "Requests that wait, by priority.", type: .gauge, samples: depths),
      MetricFamily("heddle_threads", help: "Threads of the pool by state.", type: .gauge, samples: states),
      counter("heddle_thread_spawns_total", "Threads made.", pool.spawnedTotal),
      counter("heddle_thread_spawn_failures_total", "Threads that could not be made.", pool.spawnFailuresTotal),
      MetricFamily(
        "heddle_thread_ends_total", help: "Threads ended, by reason.", type: .counter, samples: ends),
      MetricFamily(
        "heddle_queue_wait_seconds", help: "Time from the complete request to the start of its handler.",
        type: .histogram, unit: "seconds", value: .histogram(http.queueWaits)),
      MetricFamily(
        "heddle_requests_rejected_total", help: "Requests answered with 503 without asking their handler, by reason.",
        type: .counter, samples: rejections),
      MetricFamily(
        "heddle_pool_saturated_seconds", help: "For how long every thread has been taken; 0 while one is free.",
        type: .gauge, unit: "seconds", value: .number(pool.saturatedSeconds)),
      MetricFamily(
        "heddle_failures_total", help: "Handlers that failed, by kind.", type: .counter,
        samples: [
          MetricSample(labels: [("kind", "thrown")], value: .unsigned(http.thrownTotal)),
          MetricSample(labels: [("kind", "timeout")], value: .unsigned(http.timedOutTotal)),
        ]),
      MetricFamily(
        "heddle_quarantined_threads", help: "Threads that trapped and are parked for ever.", type: .gauge,
        value: .integer(Int64(counts.quarantined))),
    ]
  }

  private static func bulkheads(_ bulkheads: [HTTPStatistics.Bulkhead]) -> [MetricFamily] {
    func family(
      _ name: String, _ help: String, _ type: MetricType = .gauge, _ value: (HTTPStatistics.Bulkhead) -> MetricValue
    ) -> MetricFamily {
      let samples = bulkheads.map { MetricSample(labels: [("http_route", $0.route)], value: value($0)) }
      return MetricFamily(name, help: help, type: type, samples: samples)
    }
    return [
      family("heddle_bulkhead_limit", "The most requests of a route that run at once.") { .integer(Int64($0.limit)) },
      family("heddle_bulkhead_running", "Requests of such a route that run.") { .integer(Int64($0.running)) },
      family("heddle_bulkhead_waiting", "Requests of such a route that wait.") { .integer(Int64($0.waiting)) },
      family(
        "heddle_bulkhead_rejected_total", "Requests that were refused because too many of their route waited.", .counter
      ) { .unsigned($0.rejectedTotal) },
    ]
  }

  private static func locks(_ locks: [LockStatistics]) -> [MetricFamily] {
    // What a thread waits for in a condition is an event, not a lock: no contention.
    let locks = locks.filter { $0.kind != .condition }
    func samples(_ value: (LockStatistics) -> MetricValue) -> [MetricSample] {
      locks.map { MetricSample(labels: [("lock", $0.name)], value: value($0)) }
    }
    return [
      MetricFamily(
        "heddle_lock_acquisitions_total", help: "How often a lock was taken.", type: .counter,
        samples: samples { .unsigned($0.acquisitionsTotal) }),
      MetricFamily(
        "heddle_lock_contentions_total", help: "How often a thread had to wait for a lock.", type: .counter,
        samples: samples { .unsigned($0.contentionsTotal) }),
      MetricFamily(
        "heddle_deadlocks", help: "Circles of threads that wait for each other.", type: .gauge,
        value: .integer(Int64(LockDeadlock.find(in: LockWaits.snapshot()).count))),
      MetricFamily(
        "heddle_lock_wait_seconds", help: "How long threads waited for a lock.", type: .histogram,
        unit: "seconds", samples: samples { .histogram(waits($0)) }),
    ]
  }

  private static func waits(_ lock: LockStatistics) -> HistogramSnapshot {
    let bounds = WaitHistogram.exactBounds
    return HistogramSnapshot(
      bounds: bounds, cumulativeCounts: lock.waits.cumulativeCounts(at: bounds), count: lock.waits.count,
      sum: lock.waitSecondsTotal)
  }

  private static func process(_ process: ProcessFigures) -> [MetricFamily] {
    [
      MetricFamily(
        "process_cpu_seconds_total", help: "User and system processor time.", type: .counter, unit: "seconds",
        value: .number(process.cpuSeconds)),
      MetricFamily(
        "process_resident_memory_bytes", help: "Resident memory.", type: .gauge, unit: "bytes",
        value: .unsigned(process.residentBytes)),
      MetricFamily(
        "process_virtual_memory_bytes", help: "Virtual memory.", type: .gauge, unit: "bytes",
        value: .unsigned(process.virtualBytes)),
      MetricFamily(
        "process_open_fds", help: "Open file descriptors.", type: .gauge,
        value: .integer(Int64(process.openFileDescriptors))),
      MetricFamily(
        "process_max_fds", help: "The most file descriptors that may be open.", type: .gauge,
        value: .unsigned(process.maxFileDescriptors)),
      MetricFamily(
        "process_start_time_seconds", help: "When the process started, in seconds since 1970.", type: .gauge,
        unit: "seconds", value: .number(process.startTime)),
      MetricFamily(
        "process_threads", help: "Threads of the process, the main thread included.", type: .gauge,
        value: .integer(Int64(process.threads))),
      counter(
        "process_voluntary_context_switches_total", "How often a thread gave the processor up.",
        UInt64(clamping: process.voluntarySwitches)),
      counter(
        "process_involuntary_context_switches_total", "How often the processor was taken from a thread.",
        UInt64(clamping: process.involuntarySwitches)),
    ]
  }

  private static func counter(_ name: String, _ help: String, _ value: UInt64) -> MetricFamily {
    MetricFamily(name, help: help, type: .counter, value: .unsigned(value))
  }
}
