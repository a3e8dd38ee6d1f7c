import Glibc
import Locks
import RunLoops

/// A gate that handlers wait at until the test opens it. Every wait is bounded, so that a test that fails still ends.
package final class Latch: Sendable {
  private struct State: Sendable {
    var isOpen = false
    var arrivals = 0
  }

  private static let patience = Duration.seconds(30)
  private let state = Locked("test.latch", State())
  private let changed: Condition

  package init() { changed = Condition("test.latch", lock: state.lock) }

  /// For the handler. Says that it has come, and waits until the gate is open.
  package func wait() {
    let end = Deadline.after(Latch.patience)
    state.withLock { state in
      state.arrivals += 1
      changed.broadcast()
      while !state.isOpen, changed.wait(until: end) {}
    }
  }

  package func open() {
    state.withLock { state in
      state.isOpen = true
      changed.broadcast()
    }
  }

  /// For the test. Whether so many have come within its patience.
  package func waitForArrivals(_ count: Int) -> Bool {
    let end = Deadline.after(Latch.patience)
    return state.withLock { state in
      while state.arrivals < count {
        if !changed.wait(until: end) { return false }
      }
      return true
    }
  }
}

/// Something that runs on a thread of its own, and its result.
package final class Background<Value: Sendable>: Sendable {
  private let outcome: Locked<Result<Value, any Error>?>
  private let thread: OwnedThread

  package init(_ name: String = "test-client", _ body: @escaping @Sendable () throws -> Value) throws {
    let outcome = Locked<Result<Value, any Error>?>("test.background", nil)
    self.outcome = outcome
    thread = try OwnedThread.start(ThreadOptions(name: name)) {
      let result = Result { try body() }
      outcome.withLock { $0 = result }
    }
  }

  /// Waits for the result. Once.
  package func value() throws -> Value {
    thread.join()
    guard let result = outcome.withLock({ $0 }) else { throw NoResult() }
    return try result.get()
  }
}

/// Runs something on several threads at once and waits for all of them.
@discardableResult
package func inParallel<Value: Sendable>(
  _ count: Int, _ body: @escaping @Sendable (Int) throws -> Value
) throws -> [Value] {
  let all = try (0..<count).map { index in try Background("test-client-\(index)") { try body(index) } }
  // All are waited for before the first error is thrown on.
  return try all.map { one in Result { try one.value() } }.map { try $0.get() }
}

/// Asks again and again until something holds, at most so long. What is awaited is not announced by an event that a test
/// could wait for; the bound is only for failure.
package func eventually(within bound: Duration = .seconds(20), _ condition: () throws -> Bool) rethrows -> Bool {
  let end = Deadline.after(bound)
  while !end.hasPassed {
    if try condition() { return true }
    Pause.milliseconds(5)
  }
  return try condition()
}

/// A thread that ended without a result.
private struct NoResult: Error {}

/// Waiting without a reason that can be told: between two looks, or between two pieces of a slow sender.
package enum Pause {
  package static func milliseconds(_ count: Int) { usleep(UInt32(count) * 1000) }
}
