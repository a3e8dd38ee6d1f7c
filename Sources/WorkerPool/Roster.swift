import RunLoops

/// The threads of a pool by number: who is there, who is to be joined. Under the lock `pool.roster`.
struct Roster: Sendable {
  /// Workers that run.
  var workers: [Int: Worker] = [:]
  /// Threads that are not joined yet.
  var threads: [Int: OwnedThread] = [:]
  /// Workers that have left, and whose threads are to be joined.
  var ended: [Int] = []
  /// The last look at each worker that ran something, by worker.
  var samples: [Int: WorkerSample] = [:]
  /// Workers that have come to the scheduler, since the pool was made.
  var arrived = 0
  /// Items that were run by workers that have ended.
  var endedRuns: UInt64 = 0
  /// Threads that could not be made when the pool started.
  var failedAtStart = 0
  private var lastID = 0

  /// The next worker's number.
  mutating func nextID() -> Int {
    lastID += 1
    return lastID
  }

  /// Takes the threads that can be joined. A worker may have left before whoever made its thread has entered it here:
  /// that one stays listed for the next time.
  mutating func takeJoinable() -> [OwnedThread] {
    var joinable: [OwnedThread] = []
    ended.removeAll { id in
      guard let thread = threads.removeValue(forKey: id) else { return false }
      joinable.append(thread)
      return true
    }
    return joinable
  }
}
