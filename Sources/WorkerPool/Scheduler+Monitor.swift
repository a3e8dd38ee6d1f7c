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
  mutating func bringUp(_ debts: inout Debts) {
    guard waking == 0 else { return }
    if let member = parked.popLast() {
      waking += 1
      debts.wake = member.deliverToken()
    } else if started + pending < limits.maxThreads, spawnBackoff == 0 {
      spawn(&debts)
    }
  }

  private mutating func spawn(_ debts: inout Debts) {
    pending += 1
    waking += 1
    debts.spawn = true
  }

  /// A thread that was to be made could not be made. The monitor tries again later.
  mutating func spawnFailed(backoffTicks: Int, debts: inout Debts) {
    pending -= 1
    waking -= 1
    spawnBackoff = max(spawnBackoff, backoffTicks)
    arm(&debts)
  }

  /// The threads that a pool starts with are made by its owner, all at once.
  mutating func beginStart() {
    pending += limits.minThreads
    waking += limits.minThreads
  }

  /// One tick of the monitor. True: tick again. The answer and the flag change in one step,
  /// so that an *arm* cannot fall between them.
  mutating func tick(_ debts: inout Debts) -> Bool {
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
    if isShort, waking == 0, spawnBackoff == 0 { spawn(&debts) }
    if !queue.isEmpty {
      if headSeen {
        bringUp(&debts)
      } else {
        headSeen = true
      }
    }
    guard vacantLanes == 0, queue.isEmpty, !isShort else {
      quietTicks = 0
      return true
    }
    quietTicks += 1
    if quietTicks < quietTicksNeeded { return true }
    isArmed = false
    return false
  }

  /// Takes the items off that became runnable before a moment: the queue is in order, so they are at its head.
  mutating func takeExpired(before moment: Int64, into chain: inout WorkChain) {
    while let head = queue.head, head.enqueuedAt < moment, let item = queue.popUnmanaged() {
      chain.append(item)
      headSeen = false
      expired += 1
    }
  }

  /// Changes the limits. Members that wait without a time limit are all called, so that each looks at the new ones.
  mutating func setLimits(_ new: PoolLimits, debts: inout Debts) {
    limits = new
    wakeAll(&debts)
    arm(&debts)
  }
}
