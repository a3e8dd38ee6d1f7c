public import Locks

extension ThreadRunLoop {
  /// Runs the loop in the default mode until it is stopped or has nothing to watch. Own thread only.
  /// - Returns: ``RunLoopResult/stopped`` or ``RunLoopResult/finished``.
  @discardableResult
  public func run() -> RunLoopResult { run(mode: .default) }

  /// Runs the loop in a mode. May be called from inside a handler: the runs nest, and the outer one goes on
  /// when the inner has ended. Own thread only.
  /// - Parameters:
  ///   - mode: any but ``RunLoopMode/common``; default ``RunLoopMode/default``
  ///   - deadline: when to return at the latest, not counting a handler that takes longer; one that has
  ///     passed gives a single turn. Default: never
  ///   - returnAfterSourceHandled: whether to return after a turn in which a block, source, timer or the
  ///     driver did something. Default: false
  /// - Returns: why it ended. A mode with no source, no timer, no driver and no waiting block gives
  ///   ``RunLoopResult/finished`` at once, without a word to the observers.
  @discardableResult
  public func run(
    mode: RunLoopMode = .default, until deadline: Deadline = .distantFuture,
    returnAfterSourceHandled: Bool = false
  ) -> RunLoopResult {
    preconditionOwnThread()
    let mode = modeState(mode)
    // An observer that is told while the loop counts as parked may come here.
    willTellObservers()
    let outer = current
    current = mode
    sortMessages()
    defer {
      current = outer
      mode.descriptors?.setPolled(-1)
      sortMessages()
    }

    takeMessages()
    if mailbox.takeStop() { return .stopped }
    if isFinished(mode, currentDriver()) { return .finished }

    if outer == nil { counters.beginRun(at: clock.now()) }
    notify(.entry, in: mode)
    let result = turns(mode, Int64(deadline.nanoseconds), returnAfterSourceHandled)
    willRunHandlers()
    notify(.exit, in: mode)
    if outer == nil { counters.endRun(at: clock.now()) }
    return result
  }

  /// The driver, if it has a say in the present run.
  func currentDriver() -> (any RunLoopDriver)? {
    guard let driver, !state.pointee.isDriverRunning, isCurrent(driverModes) else { return nil }
    return driver
  }

  /// Whether there is nothing left that could ever happen in the mode. Tells first what waits to be told.
  func isFinished(_ mode: ModeState, _ driver: (any RunLoopDriver)?) -> Bool {
    guard driver == nil, mode.isEmpty, ready.isEmpty, signalled.isEmpty else { return false }
    if deliverForTurn() || deliverForIdle() {
      takeMessages()
      return isFinished(mode, currentDriver())
    }
    return true
  }

  /// Tells the observers of a mode of one activity, in their order.
  func notify(_ activity: RunLoopActivity, in mode: ModeState) {
    guard !mode.observed.isDisjoint(with: activity) else { return }
    for observer in mode.observers where observer.activities.contains(activity) {
      // An earlier one may have invalidated it; who is told only once is not told by two.
      if observer.repeats ? observer.isValid : observer.binding.invalidate() { observer.handler(activity) }
      if !observer.repeats { detach(observer) }
    }
  }

  /// To be called before a handler of the application is run, or the run ends: the driver gives up what
  /// others count on.
  func willRunHandlers() {
    // Inside its own turn the driver knows what it does: it runs the handler that runs the loop.
    guard let driver, !state.pointee.isDriverRunning else { return }
    driver.willHandleMessages(in: self)
    precondition(
      mailbox.word.glance & ParkingWord.parked == 0,
      "A run loop's driver is still parked after willHandleMessages: it must consume its token or cancel the park")
  }

  /// To be called before observers are told. They are brief, so only a driver that counts as parked must hear
  /// of it.
  func willTellObservers() {
    if mailbox.word.glance & ParkingWord.parked != 0 { willRunHandlers() }
  }
}
