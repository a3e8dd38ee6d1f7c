import Synchronization

/// What a worker is doing, for whoever looks from outside.
///
/// Written by the worker alone with plain (relaxed) stores, read by anybody: a reader may see the state of one moment with the
/// time of the next, and never waits for the worker nor makes it wait.
package final class WorkerActivity: Sendable {
  /// The states that a worker itself knows; whether a running one is blocked is found out by the reader.
  package enum State: UInt8, Sendable {
    case starting, idle, leading, running, ending
  }

  private let stateCode = Atomic<UInt8>(State.starting.rawValue)
  private let stateSince = Atomic<Int64>(0)
  private let currentTask = Atomic<UInt64>(0)
  private let currentRoute = Atomic<Int>(-1)
  private let currentMethod = Atomic<Int>(0)
  private let runs = Atomic<UInt64>(0)
  private let errors = Atomic<UInt64>(0)

  init(since now: Int64) { stateSince.store(now, ordering: .relaxed) }

  /// The present state.
  package var state: State { State(rawValue: stateCode.load(ordering: .relaxed)) ?? .starting }

  /// Since when, in nanoseconds of CLOCK_MONOTONIC.
  package var since: Int64 { stateSince.load(ordering: .relaxed) }

  /// The identifier of the item that runs, as whoever made it numbers them; 0: none, or it has no number.
  package var task: UInt64 { currentTask.load(ordering: .relaxed) }

  /// The kind of item that runs, as whoever made it numbers them; -1: none.
  package var kind: Int { currentRoute.load(ordering: .relaxed) }

  /// A detail of the item that runs.
  package var detail: Int { currentMethod.load(ordering: .relaxed) }

  /// Items run so far.
  package var runsTotal: UInt64 { runs.load(ordering: .relaxed) }

  /// Items that ended in an error so far.
  package var errorsTotal: UInt64 { errors.load(ordering: .relaxed) }

  // Worker only from here on: load and store rather than an atomic addition, since there is one writer.

  func enter(_ state: State, at now: Int64) {
    stateCode.store(state.rawValue, ordering: .relaxed)
    stateSince.store(now, ordering: .relaxed)
  }

  /// The worker is about to run an item.
  package func begin(task: UInt64, kind: Int, detail: Int) {
    currentTask.store(task, ordering: .relaxed)
    currentMethod.store(detail, ordering: .relaxed)
    currentRoute.store(kind, ordering: .relaxed)
  }

  /// The worker has run an item.
  package func end(isError: Bool) {
    currentRoute.store(-1, ordering: .relaxed)
    currentTask.store(0, ordering: .relaxed)
    if isError { errors.store(errors.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }
  }

  func countRun() { runs.store(runs.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }
}
