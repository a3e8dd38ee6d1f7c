import CPlatform
import Locks

/// Something that happened to a pool's threads.
package struct PoolEvent: Sendable {
  /// What happened.
  package enum Kind: String, Sendable {
    case spawned, ended, spawnFailed, limitsChanged, draining, stuck
  }

  /// Counts from 1; no number is left out.
  package let id: UInt64
  /// CLOCK_MONOTONIC, nanoseconds.
  package let at: Int64
  package let kind: Kind
  /// Why, in a word or a line.
  package let reason: String
  /// The worker, where one is meant.
  package let worker: String?
  /// Items that waited.
  package let queueDepth: Int
  /// Threads of the pool.
  package let threads: Int
}

/// The last events of a pool. May be used from any thread.
package final class EventRing: Sendable {
  private struct State {
    var slots: [PoolEvent] = []
    var lastID: UInt64 = 0
  }

  /// How many events are kept.
  package let capacity: Int
  private let state = Locked("pool.events", State())

  init(capacity: Int) { self.capacity = max(1, capacity) }

  /// Adds an event; the oldest goes when the ring is full.
  package func append(
    _ kind: PoolEvent.Kind, reason: String, worker: String?, queueDepth: Int, threads: Int
  ) {
    let now = heddle_now()
    state.withLock { state in
      state.lastID += 1
      let event = PoolEvent(
        id: state.lastID, at: now, kind: kind, reason: reason, worker: worker, queueDepth: queueDepth,
        threads: threads)
      if state.slots.count < capacity {
        state.slots.append(event)
      } else {
        state.slots[Int((state.lastID - 1) % UInt64(capacity))] = event
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
}
