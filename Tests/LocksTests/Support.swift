import Glibc
@testable import Locks
import Synchronization
import Testing

/// A bare thread, so that these tests need nothing that is built on the locks.
final class TestThread: Sendable {
  private let thread: pthread_t

  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  init(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(body)).toOpaque()
    let result = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, start)
    precondition(result == 0, "pthread_create failed with error \(result)")
    self.thread = thread
  }

  func join() { pthread_join(thread, nil) }

  static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let threads = (0..<count).map { index in TestThread { body(index) } }
    for thread in threads { thread.join() }
  }
}

/// Yields until the condition holds. The bound only turns a hang into a failure.
func eventually(_ what: Comment, _ condition: () -> Bool) {
  let end = Deadline.after(.seconds(60))
  while !condition() {
    if end.hasPassed {
      Issue.record(what)
      return
    }
    sched_yield()
  }
}

/// The row of a name.
func statistics(_ name: String, _ kind: LockKind = .mutex) -> LockStatistics? {
  LockRegistry.snapshot().first { $0.name == name && $0.kind == kind }
}

/// How many threads sleep for the lock of that name.
func waiters(_ name: String) -> Int { LockWaits.snapshot().values.count { $0.lockName == name } }

/// The kernel's id of the calling thread, as the locks have it.
func currentTID() -> Int32 { ThreadRecord.current.tid.load(ordering: .relaxed) }
