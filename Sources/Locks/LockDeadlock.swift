/// Threads that wait for each other in a circle: none of them will ever go on.
package struct LockDeadlock: Sendable, Equatable {
  /// The threads, each waiting for the next one, the last for the first.
  package let threads: [String]
  /// What each of them waits for.
  package let locks: [String]

  /// The circles among threads that wait, each once. A pure function of the wait-for graph: every thread waits for one lock at
  /// most, and a lock has one owner at most, so following the owners from each thread either ends or closes a circle.
  package static func find(in waits: [Int32: LockWait]) -> [LockDeadlock] {
    var found: [LockDeadlock] = []
    var done: Set<Int32> = []
    for start in waits.keys.sorted() where !done.contains(start) {
      var path: [Int32] = []
      var next: Int32? = start
      while let thread = next, let wait = waits[thread], !done.contains(thread) {
        done.insert(thread)
        path.append(thread)
        next = wait.ownerTID
      }
      guard let closing = next, let first = path.firstIndex(of: closing) else { continue }
      let circle = Array(path[first...])
      found.append(
        LockDeadlock(
          // Whom a thread waits for is named by the thread that waits.
          threads: circle.map { thread in
            waits.values.first { $0.ownerTID == thread }?.ownerName ?? "thread \(thread)"
          },
          locks: circle.compactMap { waits[$0]?.lockName }))
    }
    return found
  }
}
