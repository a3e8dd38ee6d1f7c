import Locks
import WorkerPool

/// `/api/threads`: how many workers there are, and every thread.
struct ThreadsDocument: Encodable {
  /// The pool's threads. `total` = `idle` + `running` + `blocked` + `quarantined`; those that lead, start or end count as idle.
  struct Counts: Encodable {
    var total, idle, running, blocked, leading, quarantined, min, max, peak: Int
    var spawnedTotal, endedIdleTotal, endedTotal: UInt64
  }

  struct Thread: Encodable {
    var name: String
    var id: Int
    var tid: Int32
    var role: String
    var state: String
    /// Seconds in this state.
    var since: Double?
    var request: Request?
    var waitingFor: Wait?
    var requestsTotal: UInt64?
    var errorsTotal: UInt64?
    var cpuSeconds: Double?
    var stackBytes: Int?
    var loopIterationsTotal: UInt64
  }

  struct Request: Encodable {
    var id: String
    var method: String
    var route: String
    var elapsed: Double
  }

  struct Wait: Encodable {
    var lock: String
    var owner: String?
    var elapsed: Double
  }

  var schema = "heddle/threads/1"
  var counts: Counts
  var threads: [Thread]

  init(_ pool: PoolStatistics, source: IntrospectionSource) {
    counts = Counts(pool)
    let main = source.mainThread
    threads = [
      Thread(
        name: main.name, id: 0, tid: main.tid, role: "main", state: main.isWaiting() ? "idle" : "running",
        loopIterationsTotal: main.iterationsTotal())
    ]
    threads += pool.workers.map { Thread($0, source: source) }
  }
}

extension ThreadsDocument.Counts {
  init(_ pool: PoolStatistics) {
    let running = pool.count(.running)
    let blocked = pool.count(.blocked)
    // The workers listed, so that the counts agree with the list beside them.
    total = pool.workers.count
    idle = total - running - blocked
    self.running = running
    self.blocked = blocked
    leading = pool.count(.leading)
    quarantined = 0
    min = pool.limits.minThreads
    max = pool.limits.maxThreads
    peak = Swift.max(pool.peak, total)
    spawnedTotal = pool.spawnedTotal
    endedIdleTotal = pool.ended[.idle]
    endedTotal = pool.ended.total
  }
}

extension ThreadsDocument.Thread {
  init(_ row: PoolStatistics.WorkerRow, source: IntrospectionSource) {
    name = row.name
    id = row.id
    tid = row.tid
    role = "worker"
    state = row.state.rawValue
    since = row.stateSeconds
    if row.kind >= 0, row.task != 0 {
      request = ThreadsDocument.Request(
        id: requestIDText(row.task), method: source.detail(row.detail), route: source.label(row.kind),
        elapsed: row.stateSeconds)
    }
    if let wait = row.lockWait, row.state == .blocked {
      waitingFor = ThreadsDocument.Wait(lock: wait.lockName, owner: wait.ownerName, elapsed: wait.elapsedSeconds)
    }
    requestsTotal = row.runsTotal
    errorsTotal = row.errorsTotal
    cpuSeconds = row.cpuSeconds
    stackBytes = row.stackBytes
    loopIterationsTotal = row.loopIterationsTotal
  }
}
