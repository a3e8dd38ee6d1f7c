/// What brings threads up, and what the monitor looks after.
extension Scheduler {
  /// *arm*: makes sure that the monitor looks again.
  mutating func arm(_ debts: inout Debts) {
    quietTicks = 0
    if !isArmed {
      isArmed = true
      debts.tick = true
    }
  }

  /// *up*: calls the hottest parked member, or else has a thread made, unless somebody is on the way already.
  mutating func bringUp(_ debts: inout Debts, _ reason: SpawnReason = .demand) {
    guard waking == 0 else { return }
    if let member = parked.popLast() {
      waking += 1
      debts.wake = member.deliverToken()
    } else if started + pending < limits.maxThreads, spawnBackoff == 0 {
      spawn(&debts, reason)
    }
  }

  private mutating func spawn(_ debts: inout Debts, _ reason: SpawnReason) {
    pending += 1
    waking += 1
    debts.spawn = reason
  }

  /// Threads that use a processor now, as far as is known: those in handlers, less those that were seen to wait.
  var runnable: Int { max(0, started - outside - waiting) }

  /// Whether one more handler at once would be of use: who waits costs nothing, who computes needs a processor.
  var hasFreeCore: Bool { runnable < cores }

  /// The queue's head waits although as many handlers run as there are processors. More threads would only share them, so
  /// the next one comes late: after 2 ticks, and after twice as long each time, until a processor is free again. It comes
  /// nevertheless, since a handler may wait for another one in a way that looks like work.
  private mutating func injectIfDue(_ debts: inout Debts) {
    headTicks += 1
    guard headTicks >= injectionTicks else { return }
    headTicks = 0
    injectionTicks = min(injectionTicks * 2, 1024)
    bringUp(&debts, .injected)
  }

  /// A thread that was to be made could not be made. The monitor tries again later.
  mutating func spawnFailed(backoffTicks: Int, debts: inout Debts) {
    pending -= 1
    waking -= 1
    // Ever later, so that a system without threads to give is not asked for them, and the events are not flooded.
    spawnBackoff = max(spawnBackoff, backoffTicks << min(failuresInARow, 6))
    failuresInARow += 1
    arm(&debts)
  }

  /// The threads that a pool starts with are made by its owner, all at once.
  mutating func beginStart() {
    pending += limits.minThreads
    waking += limits.minThreads
  }

  /// One tick of the monitor. True: tick again. The answer and the flag change in one step,
  /// so that an *arm* cannot fall between them.
  ///
  /// - Parameter waiting: how many of the threads inside handlers wait for something rather than compute
  mutating func tick(_ debts: inout Debts, waiting: Int = 0) -> Bool {
    self.waiting = waiting
    maySweep = true
    if spawnBackoff > 0 { spawnBackoff -= 1 }
    if vacantLanes > 0 {
      for index in lanes.indices where lanes[index].state == .vacant {
        if lanes[index].seen {
          lanes[index].due = true
          bringUp(&debts)
        } else {
          lanes[index].seen = true
        }
      }
    }
    let isShort = !isClosing && started + pending < limits.minThreads
    if isShort, waking == 0, spawnBackoff == 0 { spawn(&debts, .minimum) }
    if queue.hasRunnable {
      if !headSeen {
        headSeen = true
      } else if hasFreeCore {
        injectionTicks = 2
        bringUp(&debts)
      } else {
        injectIfDue(&debts)
      }
    }
    isPressed = vacantLanes > 0 || queue.count > 0 || isShort
    guard !isPressed else {
      quietTicks = 0
      return true
    }
    quietTicks += 1
    if quietTicks < quietTicksNeeded { return true }
    isArmed = false
    return false
  }

  /// Takes the items off that came before a moment.
  mutating func takeExpired(before moment: Int64, into chain: inout WorkChain) {
    expired += UInt64(queue.removeAll(before: moment, into: &chain))
    if !chain.isEmpty { headSeen = false }
  }

  /// Takes the items off that are to be shed because their lines stand (``CoDel``): a look at the head of each line.
  ///
  /// What was held back by a bulkhead is left alone, since its wait says nothing about the pool.
  mutating func shed(at now: Int64, into chain: inout WorkChain) {
    for index in control.indices {
      let priority = WorkPriority.allCases[index]
      while true {
        guard let head = queue.arrivedHead(of: priority) else {
          control[index].lineIsShort()
          break
        }
        if !head.isOver {
          guard control[index].sheds(wait: now &- head.enqueuedAt, now: now) else { break }
          shed += 1
        }
        queue.removeArrivedHead(of: priority, into: &chain)
        headSeen = false
      }
    }
  }

  /// Changes the limits. Members that wait without a time limit are all called, so that each looks at the new ones.
  mutating func setLimits(_ new: PoolLimits, debts: inout Debts) {
    limits = new
    wakeAll(&debts)
    arm(&debts)
  }
}
