import CPlatform
package import Locks
import RunLoops

/// A pool as it was at one moment: a value, taken without stopping any worker.
package struct PoolStatistics: Sendable {
  /// One worker.
  package struct WorkerRow: Sendable {
    package let id: Int
    package let name: String
    package let tid: Int32
    package let state: WorkerState
    /// Seconds since it entered that state (a blocked one: since its item began).
    package let stateSeconds: Double
    /// The item that it runs, as whoever made it numbers it; kind -1: none.
    package let task: UInt64
    package let kind: Int
    package let detail: Int
    /// The lock that it waits for.
    package let lockWait: LockWait?
    package let runsTotal: UInt64
    package let errorsTotal: UInt64
    package let cpuSeconds: Double
    package let stackBytes: Int
    package let loopIterationsTotal: UInt64
  }

  /// What a worker is doing, as seen from outside.
  package enum WorkerState: String, Sendable, CaseIterable {
    case starting, idle, leading, running, blocked, ending
  }

  package var limits: PoolLimits
  package var workers: [WorkerRow] = []
  /// Threads that have started and not ended.
  package var started = 0
  package var peak = 0
  package var spawnedTotal: UInt64 = 0
  package var spawnFailuresTotal: UInt64 = 0
  package var ended = EndCounts()
  /// Items that wait, those that bulkheads hold back included; …
  package var queueDepth = 0
  /// … of them so many of each priority, …
  package var depths: [WorkPriority: Int] = [:]
  /// … and so many held back.
  package var heldBack = 0
  package var queuePeak = 0
  package var queueLimit = 0
  package var rejectedTotal: UInt64 = 0
  /// Items that were refused because too many of their own kind waited.
  package var bulkheadRejectedTotal: UInt64 = 0
  /// Items that were shed because the pool was overloaded.
  package var shedTotal: UInt64 = 0
  /// Items that waited longer than the queue deadline.
  package var expiredTotal: UInt64 = 0
  package var runsTotal: UInt64 = 0
  /// Seconds since no thread was left to run a handler, 0 while one is.
  package var saturatedSeconds: Double = 0

  /// How many workers are in each of some states.
  package func count(_ states: WorkerState...) -> Int { workers.reduce(0) { $0 + (states.contains($1.state) ? 1 : 0) } }
}

extension WorkerPool {
  /// The figures of this moment. Reads the kernel's view of the threads that run handlers: some microseconds for each.
  package func statistics() -> PoolStatistics {
    var result = PoolStatistics(limits: configuration.limits)
    result.queueLimit = configuration.queueLimit
    let now = heddle_now()
    let (members, endedRuns) = roster.withLock { roster in
      (roster.workers.values.map { ($0, roster.threads[$0.id]) }, roster.endedRuns)
    }
    look { scheduler in
      result.limits = scheduler.limits
      result.started = scheduler.started
      result.peak = scheduler.peak
      result.ended = scheduler.ended
      result.queueDepth = scheduler.queue.count
      for priority in WorkPriority.allCases { result.depths[priority] = scheduler.queue.count(of: priority) }
      result.heldBack = scheduler.queue.held
      result.bulkheadRejectedTotal = scheduler.rejectedByBulkheads
      result.shedTotal = scheduler.shed
      result.queuePeak = scheduler.queuePeak
      result.rejectedTotal = scheduler.rejected
      result.expiredTotal = scheduler.expired
      if let since = scheduler.saturatedSince { result.saturatedSeconds = seconds(now &- since) }
    }
    result.spawnedTotal = spawnedTotal
    result.spawnFailuresTotal = spawnFailuresTotal
    let waits = LockWaits.snapshot()
    result.workers = members.map { row($0, thread: $1, waits: waits, now: now) }.sorted { $0.id < $1.id }
    result.runsTotal = result.workers.reduce(endedRuns) { $0 + $1.runsTotal }
    return result
  }

  /// Bulkheads of items of this pool, as they are at one moment. May be called from any thread.
  package func figures(of bulkheads: [Bulkhead]) -> [BulkheadFigures] {
    look { _ in bulkheads.map(BulkheadFigures.init) }
  }

  /// Seconds since no thread was left to run a handler; 0 while one is.
  package var saturatedSeconds: Double {
    guard let since = look({ $0.saturatedSince }) else { return 0 }
    return seconds(heddle_now() &- since)
  }

  private func row(
    _ worker: Worker, thread: OwnedThread?, waits: [Int32: LockWait], now: Int64
  ) -> PoolStatistics.WorkerRow {
    let activity = worker.activity
    let tid = thread?.tid ?? 0
    let kind = activity.kind
    let state = activity.state
    return PoolStatistics.WorkerRow(
      id: worker.id, name: worker.name, tid: tid, state: seen(state, tid: tid),
      stateSeconds: seconds(now &- activity.since),
      task: activity.task, kind: state == .running ? kind : -1, detail: activity.detail, lockWait: waits[tid],
      runsTotal: activity.runsTotal, errorsTotal: activity.errorsTotal,
      cpuSeconds: seconds(thread?.cpuNanoseconds() ?? 0), stackBytes: configuration.stackSize,
      loopIterationsTotal: worker.loop.statistics.iterationsTotal)
  }

  /// A thread that runs a handler but sleeps in the kernel is blocked: in a lock, a system call, a page fault.
  private func seen(_ state: WorkerActivity.State, tid: Int32) -> PoolStatistics.WorkerState {
    switch state {
    case .starting: return .starting
    case .idle: return .idle
    case .leading: return .leading
    case .ending: return .ending
    case .running:
      let letter = UInt8(bitPattern: heddle_thread_state(tid))
      return letter == UInt8(ascii: "S") || letter == UInt8(ascii: "D") ? .blocked : .running
    }
  }

  private func seconds(_ nanoseconds: Int64) -> Double { Double(max(0, nanoseconds)) / 1e9 }
}
