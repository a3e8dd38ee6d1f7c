import CPlatform
import Locks
import RunLoops
import Synchronization

/// Making a worker's thread, what it runs, and joining it.
extension WorkerPool {
  typealias SpawnReason = Scheduler<Worker>.SpawnReason

  /// Makes a worker's thread. Not under any lock. Returns why it could not be made, or nil.
  func spawn(reason: SpawnReason) -> ThreadError? {
    let id = roster.withLock { $0.nextID() }
    let name = "\(configuration.namePrefix)-\(id)"
    let options = ThreadOptions(name: name, stackSize: configuration.stackSize)
    do throws(ThreadError) {
      if let refusal = configuration.willMakeThread?(name) { throw refusal }
      let thread = try OwnedThread.start(options) { self.main(id: id, name: name, reason: reason) }
      let hasEnded = roster.withLock { roster in
        roster.threads[id] = thread
        return roster.ended.contains(id)
      }
      // It was faster than this thread: nobody has joined it yet.
      if hasEnded { monitor.requestReap() }
      return nil
    } catch {
      var debts = Scheduler<Worker>.Debts()
      decide { $0.spawnFailed(backoffTicks: 100, debts: &debts) }
      spawnFailures.add(1, ordering: .relaxed)
      note(.spawnFailed, reason: "\(error)")
      roster.withLock { roster in
        if reason == .start { roster.failedAtStart += 1 }
        rosterChanged.broadcast()
      }
      pay(debts)
      // A closed pool may have waited for this thread alone: the monitor looks whether it has finished.
      monitor.requestReap()
      return error
    }
  }

  /// The entry routine of a worker's thread: sets it up, runs its loop, and leaves.
  private func main(id: Int, name: String, reason: SpawnReason) {
    let loop = ThreadRunLoop.current
    let worker = Worker(id: id, name: name, pool: self, loop: loop, context: contexts.take())
    heddle_tls_set(HEDDLE_TLS_WORKER, Unmanaged.passUnretained(worker).toOpaque())
    spawns.add(1, ordering: .relaxed)
    roster.withLock { roster in
      roster.workers[id] = worker
      rosterChanged.broadcast()
    }
    note(.spawned, reason: reason.rawValue, worker: name, newcomers: 1)
    loop.addCommonMode(.worker)
    loop.setDriver(worker, modes: [.worker])
    // Whatever else ends a run (an application's stop()), a worker leaves only when the scheduler has let it go.
    while !worker.hasEnded { _ = loop.run(mode: .worker, until: .distantFuture) }
    loop.setDriver(nil, modes: [])
    heddle_tls_set(HEDDLE_TLS_WORKER, nil)
    roster.withLock { roster in
      roster.workers[id] = nil
      roster.samples[id] = nil
      roster.ended.append(id)
      roster.endedRuns += worker.activity.runsTotal
      rosterChanged.broadcast()
    }
    monitor.requestReap()
  }

  /// Joins the threads that have ended, or are about to. Called on the monitor's thread, and at the end.
  func reap() {
    for thread in roster.withLock({ $0.takeJoinable() }) { thread.join() }
  }
}
