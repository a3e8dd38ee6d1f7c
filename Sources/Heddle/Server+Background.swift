import Locks
import RunLoops

/// Serving beside a program that has its own main thread.
extension Server {
  /// Starts serving on a thread of the server's own, and returns when clients are being answered. May be called from any
  /// thread, once.
  ///
  /// - Throws: if the threads cannot be had
  public func start() throws {
    let thread = try OwnedThread.start(ThreadOptions(name: "heddle-monitor")) {
      do {
        _ = try self.serve()
      } catch {
        self.life.withLock {
          $0.failure = error
          self.lifeChanged.broadcast()
        }
      }
    }
    let failure = life.withLock { life in
      life.thread = thread
      while !life.isUp, life.outcome == nil, life.failure == nil { lifeChanged.wait() }
      return life.failure
    }
    guard let failure else { return }
    thread.join()
    throw failure
  }

  /// Drains, and waits until the server has ended. May be called from any thread but the server's own; after ``start()``.
  ///
  /// - Returns: how it ended
  @discardableResult
  public func stop() -> Outcome {
    drain()
    let (outcome, thread) = life.withLock { life in
      while life.outcome == nil || life.loop != nil { lifeChanged.wait() }
      defer { life.thread = nil }
      return (life.outcome ?? .drained, life.thread)
    }
    thread?.join()
    return outcome
  }
}
