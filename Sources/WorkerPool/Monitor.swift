import CPlatform
import Locks
import RunLoops
import Synchronization

/// Watches over a pool from the run loop of another thread: ticks while there is something to look after, and sleeps
/// without any wake-up otherwise.
final class Monitor: Sendable {
  private struct Handlers: Sendable {
    /// Nanoseconds until the next tick; nil: there is nothing to look after.
    var tick: @Sendable () -> Int64? = { nil }
    var reap: @Sendable () -> Void = {}
    var loop: ThreadRunLoop?
  }

  private let interval: Int64
  private let handlers = Locked("pool.monitor", Handlers())

  // Made once, signalled from any thread.
  private let armSource: CustomSource
  private let reapSource: CustomSource

  init(interval: Int64) {
    self.interval = interval
    let relay = Relay()
    armSource = CustomSource("pool.arm") { relay.monitor?.schedule() }
    reapSource = CustomSource("pool.reap") { relay.monitor?.reap() }
    relay.monitor = self
  }

  /// Lets the sources, which are made before the monitor is, find it.
  private final class Relay: @unchecked Sendable {
    // Unchecked: set once in init, before either source can be signalled.
    weak var monitor: Monitor?
  }

  /// Joins a run loop. Before any of the pool's threads exists.
  func attach(
    to loop: ThreadRunLoop, tick: @escaping @Sendable () -> Int64?, reap: @escaping @Sendable () -> Void
  ) {
    handlers.withLock {
      $0.tick = tick
      $0.reap = reap
      $0.loop = loop
    }
    loop.add(armSource, to: .common)
    loop.add(reapSource, to: .common)
  }

  /// Leaves the run loop.
  func detach() {
    // What the handlers hold is let go too: they may hold whoever holds the pool.
    let old = handlers.withLock { handlers in
      defer { handlers = Handlers() }
      return handlers
    }
    guard let loop = old.loop else { return }
    loop.remove(armSource)
    loop.remove(reapSource)
  }

  /// Any thread: a tick is to come. The scheduler's own flag sees to it that this is called once for each time the monitor sleeps.
  func arm() { armSource.signal() }

  /// Any thread: a worker has ended and is to be joined.
  func requestReap() { reapSource.signal() }

  /// On the monitor's thread: ticks from now on, until a tick says that there is nothing left to look after.
  private func schedule() {
    let timer = RunLoopTimer(after: .nanoseconds(interval), every: .nanoseconds(interval)) { [weak self] timer in
      guard let self else { return }
      if let delay = self.handlers.withLock({ $0.tick })() {
        timer.postpone(nanoseconds: delay)
      } else {
        timer.invalidate()
      }
    }
    ThreadRunLoop.current.add(timer, to: .common)
  }

  private func reap() { handlers.withLock { $0.reap }() }
}
