import CMicroHTTPD
import CPlatform
import Glibc
import Interleavings
import RunLoops
import WorkerPool

/// A pass, and the sleep between two.
extension HTTPLane {
  func pass(on worker: Worker) -> LanePass {
    guard let daemon else { return LanePass(batch: WorkChain(), timeout: .max, isDrained: true) }
    if worker.id != leader {
      leader = worker.id
      worker.withContext { leaderContext = unsafeDowncast($0, to: WorkerContext.self) }
    }
    Interleaving.note(.passBegins)
    Interleaving.reach(.beforeTake)
    inbox.take { message in
      // What is resumed needs a run that comes after.
      if !Interleaving.isWrong(.skipsRun) { hasRun = false }
      if let command = message as? LaneCommand {
        carryOut(command.kind)
      } else if let exchange = message as? Exchange, let connection = exchange.connection {
        // Suspended, so libmicrohttpd cannot have closed it. Resumed by the leader, this costs no system call.
        Interleaving.note(.connectionResumed)
        MHD_resume_connection(connection)
      }
    }
    Interleaving.reach(.beforeRun)
    if !hasRun {
      // A worker that comes from a handler has just read the clock.
      willRun(at: worker.freshClock)
      _ = MHD_run(daemon)
    }
    var hasJustRun = !hasRun
    hasRun = false
    var timeout = libraryTimeout(daemon)
    if timeout == 0, batch.isEmpty {
      // Behind an answer the library has something left to finish, and there is nothing else to do between.
      willRun(at: clock)
      _ = MHD_run(daemon)
      hasJustRun = true
      timeout = libraryTimeout(daemon)
    }
    // A busy lane does not sleep, and looks now and then all the same.
    if timeout != 0 || passNumber & 63 == 0 { timeout = min(timeout, closeSilentClients(hasJustRun)) }
    if !deadlines.isEmpty { timeout = min(timeout, enforceDeadlines()) }
    var collected = WorkChain()
    swap(&collected, &batch)
    Interleaving.note(.passEnds)
    let isDrained = isDraining && (mayClose || Interleaving.isWrong(.stopsEarly))
    return LanePass(batch: collected, timeout: timeout, isDrained: isDrained, clock: clock)
  }

  func prepareToSleep() -> Bool { inbox.prepareToSleep() }

  /// Sleeps in the library where that is possible; what it then begins is a part of the next pass.
  func sleep(nanoseconds: Int64) -> Bool {
    guard sleepsInLibrary, let daemon else { return pollEpollSet(pollDescriptor, nanoseconds: nanoseconds) }
    // Rounded up, so that nobody is woken before his time. The longest sleep that the library takes is 24 days.
    let milliseconds = Int32(nanoseconds < 0 ? -1 : min((nanoseconds &+ 999_999) / 1_000_000, Int64(Int32.max)))
    if fruitlessPasses > HTTPLane.patience {
      // It would not sleep at all. Its events must stay where they are: this looks, and takes none.
      var look = pollfd(fd: pollDescriptor, events: Int16(POLLIN), revents: 0)
      return poll(&look, 1, milliseconds) >= 0
    }
    let left = Interleaving.sleep(until: pollDescriptor, milliseconds: milliseconds)
    willRun(at: 0)
    hasRun = true
    _ = MHD_run_wait(daemon, left)
    return true
  }

  private func willRun(at clock: Int64) {
    passNumber &+= 1
    self.clock = clock
    figures.passes.add()
    callsBefore = calls
    closedBefore = figures.connectionsClosed
  }

  /// Nanoseconds until the library wants to run again.
  private func libraryTimeout(_ daemon: OpaquePointer) -> Int64 {
    var milliseconds: UInt64 = 0
    let isBounded = MHD_get_timeout(daemon, &milliseconds) == .YES
    var timeout = isBounded ? Int64(clamping: milliseconds).multipliedClamped(by: 1_000_000) : .max
    // A daemon at its limit of connections, or out of descriptors, takes its listening socket out of its epoll set, and puts it
    // back at the start of a run after a connection was closed: without another pass the clients that wait would wait on.
    if figures.connectionsClosed != closedBefore { timeout = 0 }
    if timeout == 0, calls == callsBefore {
      // A chunk's head that fills all of a connection's memory makes the library ask for passes for ever, in which it does nothing.
      fruitlessPasses += 1
      if fruitlessPasses > HTTPLane.patience { timeout = HTTPLane.fruitlessPause }
    } else {
      fruitlessPasses = 0
    }
    return timeout
  }

  /// Nanoseconds until a client may have been silent for too long; 0 if some were, since the library must see that they are closed.
  ///
  /// - Parameter hasJustRun: the library has read what came, a moment ago; else the lane may have stood still since, with whoever led it
  ///   in messages, and who sent something by now is not silent: another pass comes first
  private func closeSilentClients(_ hasJustRun: Bool) -> Int64 {
    if clients.nextLook == .max { return .max }
    let now = recently
    if clients.nextLook > now { return clients.nextLook - now }
    guard hasJustRun else { return 0 }
    clients.closeSilent(at: now)
    return 0
  }
}

extension Int64 {
  /// The product, or the largest number where it does not fit.
  fileprivate func multipliedClamped(by factor: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? .max : product
  }
}
