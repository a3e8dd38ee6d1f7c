extension ThreadRunLoop {
  /// The loop itself. A turn that has nothing to do but ask its driver costs a relaxed load, a store and two
  /// flags.
  func turns(_ mode: ModeState, _ deadline: Int64, _ returnAfterSourceHandled: Bool) -> RunLoopResult {
    while true {
      let result =
        if let driver = currentDriver() {
          turns(mode, deadline, returnAfterSourceHandled, askedFor: driver)
        } else {
          turnsAlone(mode, deadline, returnAfterSourceHandled)
        }
      if let result { return result }
    }
  }

  /// The loop as long as it has this driver; nil: it has another one, or none. Generic, so that asking it counts no reference.
  private func turns(
    _ mode: ModeState, _ deadline: Int64, _ returnAfterSourceHandled: Bool, askedFor driver: some RunLoopDriver
  ) -> RunLoopResult? {
    let version = state.pointee.driverVersion
    while true {
      var handled = false
      if let end = begin(mode, version, returnAfterSourceHandled, &handled) { return end.result }
      state.pointee.isDriverRunning = true
      let verdict = driver.turn(in: self)
      state.pointee.isDriverRunning = false
      switch verdict {
      case .again:
        lookAtDescriptors(mode)
        handled = true
      case .park(let until): handled = waitParked(mode, until: min(until, deadline))
      case .poll(let descriptor, let until):
        handled = waitPolling(mode, descriptor, until: min(until, deadline))
      case .end: return .stopped
      }
      if handled && returnAfterSourceHandled { return .handledSource }
      if deadline != .max, clock.now() >= deadline { return .timedOut }
    }
  }

  /// The loop as long as it has no driver; nil: it has one.
  private func turnsAlone(
    _ mode: ModeState, _ deadline: Int64, _ returnAfterSourceHandled: Bool
  ) -> RunLoopResult? {
    let version = state.pointee.driverVersion
    while true {
      var handled = false
      if let end = begin(mode, version, returnAfterSourceHandled, &handled) { return end.result }
      if handled {
        lookAtDescriptors(mode)
      } else if isFinished(mode, nil) {
        return .finished
      } else {
        handled = waitAlone(mode, until: deadline)
      }
      if handled && returnAfterSourceHandled { return .handledSource }
      if deadline != .max, clock.now() >= deadline { return .timedOut }
    }
  }

  /// Why the turns end; nil: another driver is to be asked.
  private struct End { var result: RunLoopResult? }

  /// What a turn begins with. Nil: it goes on.
  @inline(__always)
  private func begin(
    _ mode: ModeState, _ version: Int, _ returnAfterSourceHandled: Bool, _ handled: inout Bool
  ) -> End? {
    counters.countIteration()
    guard
      mailbox.word.glance & ParkingWord.message != 0 || state.pointee.changed || state.pointee.needsAttention
    else { return nil }
    handled = attend(mode)
    if mailbox.takeStop() { return End(result: .stopped) }
    if handled && returnAfterSourceHandled { return End(result: .handledSource) }
    return version == state.pointee.driverVersion ? nil : End(result: nil)
  }

  /// The part of a turn that deals with all but the driver and the descriptors. True: something of the
  /// application's was run.
  private func attend(_ mode: ModeState) -> Bool {
    state.pointee.changed = false
    if !mode.observed.isDisjoint(with: [.beforeTimers, .beforeSources]) { willTellObservers() }
    notify(.beforeTimers, in: mode)
    var handled = fireTimers(in: mode)
    notify(.beforeSources, in: mode)
    if mailbox.word.glance & ParkingWord.message != 0 { takeMessages() }
    if runPerforms() { handled = true }
    if runSignalledSources(in: mode) { handled = true }
    if deliverForTurn() { handled = true }
    state.pointee.needsAttention = mode.needsAttention
    state.pointee.hasDescriptors = !(mode.descriptors?.isEmpty ?? true)
    return handled
  }

  /// Fires the timers of a mode that are due. Those that come in meanwhile wait for the next turn. True:
  /// there was one.
  private func fireTimers(in mode: ModeState) -> Bool {
    guard let first = mode.timers.first else { return false }
    let now = clock.now()
    if first.fireAt > now { return false }
    let bound = timerSequence
    var handled = false
    while let entry = mode.timers.first, entry.fireAt <= now, entry.sequence <= bound {
      willRunHandlers()
      fire(entry)
      handled = true
    }
    return handled
  }

  private func fire(_ entry: TimerHeap.Entry) {
    let timer = entry.timer
    if timer.interval == 0 {
      // Gone before its handler runs, so that a nested run does not see it.
      if timer.binding.invalidate() {
        detach(timer)
        timer.handler(timer)
      } else {
        detach(timer)
      }
      return
    }
    // Out of sight of a nested run while its handler runs, but still something to watch.
    move(timer, to: .max)
    if timer.isValid { timer.handler(timer) }
    if timer.isValid { move(timer, to: timer.following(entry.fireAt, now: clock.now())) } else { detach(timer) }
  }

  private func move(_ timer: RunLoopTimer, to moment: Int64) {
    timer.setNext(moment)
    for state in modes.values {
      timerSequence += 1
      state.timers.move(timer, to: moment, sequence: timerSequence)
    }
  }

  /// Handles the descriptors that are ready, without waiting: a loop that is always busy must not starve
  /// them.
  private func lookAtDescriptors(_ mode: ModeState) {
    guard state.pointee.hasDescriptors, let set = mode.descriptors else { return }
    _ = set.wait(nanoseconds: 0)
    _ = set.dispatch(takesPolled: false, willRunHandlers)
  }
}
