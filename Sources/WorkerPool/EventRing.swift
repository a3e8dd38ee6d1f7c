import CPlatform
import Locks
import Synchronization

/// The last events of a pool, each with what the pool's user achieved before and after it. May be used from any thread.
///
/// Samples are taken when somebody who is awake anyhow asks for one: the monitor at its ticks, and whoever reads the events. One
/// interval between two samples is before an event, the one that it falls into is left out, and the next one is after it: so
/// neither is a mixture of both. Each event keeps its own figures; of the samples only the last is kept.
package final class EventRing: Sendable {
  private struct State {
    var slots: [PoolEvent] = []
    var lastID: UInt64 = 0
    /// Events from this number on have no `after` yet.
    var firstPending: UInt64 = 1
    var lastSample: (at: Int64, sample: PoolSample)?
    /// The last interval.
    var performance: PoolPerformance?
  }

  /// How many events are kept.
  package let capacity: Int
  private let state = Locked("pool.events", State())
  /// Between two samples, in nanoseconds: at least.
  private let interval: Int64
  private let sample: (@Sendable () -> PoolSample)?
  private let clock: @Sendable () -> Int64
  /// When the next sample may be taken. Whoever moves it on takes the sample.
  private let nextSample = Atomic<Int64>(.min)

  /// An interval that is longer than so many of the least says nothing about a moment; nor does one that is farther away.
  static let patience: Int64 = 5

  /// - Parameters:
  ///   - capacity: how many events are kept
  ///   - interval: the least time between two samples, in nanoseconds
  ///   - clock: nanoseconds that never go back
  ///   - sample: takes a sample; called under no lock. Nil: events have no figures
  init(
    capacity: Int, interval: Int64 = 1_000_000_000, clock: @escaping @Sendable () -> Int64 = { heddle_now() },
    sample: (@Sendable () -> PoolSample)? = nil
  ) {
    self.capacity = max(1, capacity)
    self.interval = interval
    self.clock = clock
    self.sample = sample
  }

  /// Adds an event; the oldest goes when the ring is full.
  package func append(
    _ kind: PoolEvent.Kind, reason: String, worker: String?, queueDepth: Int, threads: Int
  ) {
    state.withLock { state in
      // Read here, so that events are in the order of their times.
      let now = clock()
      state.lastID += 1
      let before = state.performance.flatMap { isShort($0) && now - $0.end <= reach ? $0 : nil }
      let event = PoolEvent(
        id: state.lastID, at: now, kind: kind, reason: reason, worker: worker, queueDepth: queueDepth,
        threads: threads, before: before)
      if state.slots.count < capacity {
        state.slots.append(event)
      } else {
        state.slots[slot(state.lastID)] = event
      }
    }
  }

  /// The events with a higher number than `id` that are still kept, oldest first, and the number of the newest one.
  package func events(since id: UInt64) -> (events: [PoolEvent], lastID: UInt64) {
    state.withLock { state in
      let events = state.slots.filter { $0.id > id }.sorted { $0.id < $1.id }
      return (events, state.lastID)
    }
  }

  /// Takes a sample if the last one is old enough. Not under any lock.
  package func sampleIfDue() {
    guard let sample else { return }
    let now = clock()
    let due = nextSample.load(ordering: .relaxed)
    guard now >= due,
      nextSample.compareExchange(expected: due, desired: now &+ interval, ordering: .relaxed).exchanged
    else { return }
    enter(sample(), at: now)
  }

  private func enter(_ sample: PoolSample, at now: Int64) {
    state.withLock { state in
      // Overtaken by a later one.
      if let last = state.lastSample, last.at >= now { return }
      defer { state.lastSample = (now, sample) }
      guard let last = state.lastSample else { return }
      let performance = PoolPerformance(from: last.sample, at: last.at, to: sample, at: now)
      state.performance = performance
      // Those that have been overwritten need nothing any more.
      let oldest = state.lastID - min(state.lastID, UInt64(capacity)) + 1
      state.firstPending = max(state.firstPending, oldest)
      while state.firstPending <= state.lastID {
        let index = slot(state.firstPending)
        guard state.slots[index].at <= last.at else { break }
        if isShort(performance), last.at - state.slots[index].at <= reach { state.slots[index].after = performance }
        state.firstPending += 1
      }
    }
  }

  private func slot(_ id: UInt64) -> Int { Int((id - 1) % UInt64(capacity)) }

  /// How far away, and how long, an interval may be, in nanoseconds.
  private var reach: Int64 { interval * EventRing.patience }

  private func isShort(_ performance: PoolPerformance) -> Bool { performance.end - performance.start <= reach }
}
