import HTTPMessages
import Interleavings
import WorkerPool

/// The exchanges and the connections of a lane, from coming to going: the leader's.
extension HTTPLane {
  /// A new exchange for a request whose first line has come. Its reference passes to the caller.
  func begin(connection: OpaquePointer, target: UnsafeRawBufferPointer) -> Unmanaged<Exchange> {
    let new = spare.popLast() ?? Unmanaged.passRetained(Exchange(lane: self))
    new._withUnsafeGuaranteedRef { exchange in
      exchange.connection = connection
      exchange.client = MHDCallbacks.client(of: connection)
      exchange.head.id = ids.next()
      exchange.head.setTarget(target)
      exchange.liveIndex = live.count
    }
    live.append(new)
    return new
  }

  /// libmicrohttpd has let go of an exchange.
  func end(_ exchange: Exchange, isComplete: Bool) {
    // The last one moves into its place.
    let last = live.removeLast()
    let place = exchange.liveIndex
    if place < live.count {
      live[place] = last
      last._withUnsafeGuaranteedRef { $0.liveIndex = place }
    }
    if exchange.deadlineLinks.isQueued { exchange.leaveDeadlines(&deadlines) }
    Interleaving.reach(.beforeAbandon)
    let before = exchange.state.set(.abandoned)
    if exchange.stage == .answered {
      if !isComplete { figures.aborted.add() }
    } else if exchange.stage != .head {
      figures.abandoned.add()
      exchange.storage.cancel()
      if before.contains(.finished) {
        exchange.answer?.release()
        exchange.answer = nil
      }
    }
    exchange.connection = nil
    note(exchange, .idle)
    exchange.client = nil
  }

  // MARK: connections, leader only

  func arrived(_ client: ClientConnection) {
    figures.connectionsAccepted.add()
    figures.connectionsOpen.add()
    clients.add(client, at: now)
  }

  func left(_ client: ClientConnection) {
    figures.connectionsOpen.subtract()
    clients.remove(client)
  }

  /// The client of an exchange has done something, and is waited for to do this.
  @inline(__always)
  func note(_ exchange: Exchange, _ phase: ClientConnection.Phase) {
    exchange.client?._withUnsafeGuaranteedRef { client in
      client.phase = phase
      clients.touch(client, at: recently)
    }
  }

  /// Keeps an exchange for the next request, if nobody else holds it.
  func recycle(_ exchange: consuming Exchange) {
    var exchange = exchange
    guard spare.count < HTTPLane.spareLimit,
      isKnownUniquelyReferenced(&exchange) || Interleaving.isWrong(.recyclesShared)
    else { return }
    exchange.reset()
    spare.append(Unmanaged.passRetained(exchange))
  }

  /// Puts a complete request into the pass's batch.
  func collect(_ exchange: Exchange) {
    exchange.collectedInPass = passNumber
    // What is waited for is ours from now on; it need not be at its place in the list.
    exchange.client?._withUnsafeGuaranteedRef { $0.phase = .waiting }
    exchange.stage = .waiting
    guard let runtime = exchange.runtime else { preconditionFailure("a request without a route is not for the pool") }
    let queue = runtime._withUnsafeGuaranteedRef { runtime in
      exchange.becomeRunnable(
        at: exchange.completeAt, isExpectedLong: runtime.estimate.isLong, isExpectedToWait: runtime.estimate.isWaiting,
        priority: runtime.priority, bulkhead: runtime.bulkhead)
      return runtime.deadlineQueue
    }
    if queue >= 0 { deadlines[queue].append(exchange) }
    batch.append(exchange)
  }
}
