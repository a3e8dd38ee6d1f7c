import HTTPMessages
import HTTPServer
import Locks
import RunLoops
import WorkerPool

/// Stopping without losing a request.
extension Server {
  /// Stops accepting, lets what has begun finish, and makes ``serve()`` return. Each connection is closed after its answer.
  ///
  /// At the drain timeout requests that are not answered yet get 503, and their handlers are told (`Request.isCancelled`).
  /// Returns at once. May be called from any thread, and more than once.
  public func drain() {
    let loop = life.withLock { life -> ThreadRunLoop? in
      if life.isDraining { return nil }
      life.isDraining = true
      return life.isUp ? life.loop : nil
    }
    // A server that is still being started finds the mark when it is up.
    loop?.perform { loop.map(self.beginDrain) }
  }

  /// How long handlers that were told to stop are given, after the drain timeout, before they count as stuck.
  private static let grace = Duration.seconds(1)

  /// On the monitor's thread.
  func beginDrain(_ loop: ThreadRunLoop) {
    let timeout = configuration.http.drainTimeout
    configuration.log(.info, "draining: no new connections; waiting up to \(timeout) for requests that run")
    service.pool.note(.draining, reason: "drain")
    service.beginDrain()
    loop.add(
      RunLoopTimer(after: timeout) { _ in
        self.service.expire()
        loop.add(RunLoopTimer(after: Server.grace) { _ in self.giveUp(loop, isLastTry: false) })
      })
  }

  private func giveUp(_ loop: ThreadRunLoop, isLastTry: Bool) {
    guard !service.pool.isFinished else { return }
    let stuck = service.pool.statistics().workers.filter { $0.kind >= 0 }
    if stuck.isEmpty, !isLastTry {
      // No handler runs: clients hold it up, who neither send nor take what they should.
      service.abort()
      loop.add(RunLoopTimer(after: Server.grace) { _ in self.giveUp(loop, isLastTry: true) })
      return
    }
    for worker in stuck {
      let route = service.routeLabel(worker.kind)
      configuration.log(.error, "\(worker.name) is stuck in \(route), request \(RequestID(worker.task))")
      service.pool.note(.stuck, reason: route, worker: worker.name)
    }
    conclude(.stuck(stuck.map(\.name)))
  }
}
