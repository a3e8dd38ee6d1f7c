import Synchronization

/// A total that one thread raises and any thread reads: counting costs a load and a store.
package final class SingleWriterCounter: Sendable {
  private let count = Atomic<UInt64>(0)

  package init() {}

  /// Adds to the total. May be called only by the one writer: a second one would lose counts.
  package func add(_ amount: UInt64 = 1) {
    count.store(count.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
  }

  /// The total. May be read from any thread.
  package var value: UInt64 { count.load(ordering: .relaxed) }
}

/// A total that any thread may raise: for what happens seldom.
package final class Counter: Sendable {
  private let count = Atomic<UInt64>(0)

  package init() {}

  /// Adds to the total. May be called from any thread.
  package func add(_ amount: UInt64 = 1) { count.wrappingAdd(amount, ordering: .relaxed) }

  /// The total. May be read from any thread.
  package var value: UInt64 { count.load(ordering: .relaxed) }
}

/// A level that goes up and down, and the highest that it has been.
package final class Gauge: Sendable {
  private let level = Atomic<Int64>(0)
  private let highest = Atomic<Int64>(0)

  package init() {}

  /// Changes the level by an amount, which may be negative, and returns the new one. May be called from any thread.
  @discardableResult
  package func add(_ amount: Int64) -> Int64 {
    let new = level.wrappingAdd(amount, ordering: .relaxed).newValue
    raisePeak(to: new)
    return new
  }

  /// Sets the level. May be called from any thread.
  package func set(_ new: Int64) {
    level.store(new, ordering: .relaxed)
    raisePeak(to: new)
  }

  /// The level. May be read from any thread.
  package var value: Int64 { level.load(ordering: .relaxed) }

  /// The highest level so far, at least 0. May be read from any thread.
  package var peak: Int64 { highest.load(ordering: .relaxed) }

  private func raisePeak(to new: Int64) {
    var current = highest.load(ordering: .relaxed)
    while new > current {
      let (exchanged, original) = highest.weakCompareExchange(
        expected: current, desired: new, ordering: .relaxed)
      if exchanged { return }
      current = original
    }
  }
}
