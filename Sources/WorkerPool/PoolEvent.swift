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
  /// The last time between two samples that was over when it happened; nil: there was none shortly before.
  package let before: PoolPerformance?
  /// The first such time that began after it; nil: it is not over yet, or none followed shortly.
  package internal(set) var after: PoolPerformance?
}
