extension ThreadRunLoop {
  // All of these may be called from any thread. On another than the loop's own they go through the mailbox,
  // so they take effect at the loop's next turn, in the order in which they were called.

  /// Watches a custom source in a mode. Adding it twice has no effect. May be called from any thread; from
  /// another than the loop's it takes effect at the loop's next turn.
  public func add(_ source: CustomSource, to mode: RunLoopMode = .default) {
    onLoop { loop in
      guard source.isValid else { return }
      source.binding.attach(to: loop.mailbox)
      if mode == .common, !loop.commonSources.contains(where: { $0 === source }) {
        loop.commonSources.append(source)
      }
      for state in loop.states(mode) { loop.add(source, in: state) }
      // A signal from before it knew its mailbox.
      if source.isSignalled { loop.signalled.append(source) }
    }
  }

  /// Watches a descriptor source in a mode. Adding it twice has no effect. If the descriptor cannot be
  /// watched, the handler is called with ``DescriptorEvents/invalid``. May be called from any thread; from
  /// another than the loop's it takes effect at the loop's next turn.
  public func add(_ source: DescriptorSource, to mode: RunLoopMode = .default) {
    onLoop { loop in
      guard source.isValid else { return }
      source.binding.attach(to: loop.mailbox)
      if mode == .common, !loop.commonDescriptors.contains(where: { $0 === source }) {
        loop.commonDescriptors.append(source)
      }
      for state in loop.states(mode) { loop.add(source, in: state) }
    }
  }

  /// Watches a timer in a mode. Adding it twice has no effect. May be called from any thread; from another
  /// than the loop's it takes effect at the loop's next turn, and a timer that fires "after" some time counts
  /// from there.
  public func add(_ timer: RunLoopTimer, to mode: RunLoopMode = .default) {
    onLoop { loop in
      guard timer.isValid else { return }
      timer.binding.attach(to: loop.mailbox)
      if mode == .common, !loop.commonTimers.contains(where: { $0 === timer }) {
        loop.commonTimers.append(timer)
      }
      for state in loop.states(mode) { loop.add(timer, in: state) }
    }
  }

  /// Tells an observer of what the loop does in a mode. Adding it twice has no effect. May be called from any
  /// thread; from another than the loop's it takes effect at the loop's next turn.
  public func add(_ observer: RunLoopObserver, to mode: RunLoopMode = .default) {
    onLoop { loop in
      guard observer.isValid else { return }
      observer.binding.attach(to: loop.mailbox)
      if mode == .common, !loop.commonObservers.contains(where: { $0 === observer }) {
        loop.commonObservers.append(observer)
      }
      for state in loop.states(mode) { state.add(observer) }
    }
  }

  /// Takes a custom source out of all modes; it can be added again, here or to another loop. May be called
  /// from any thread; from another than the loop's it takes effect at the loop's next turn.
  public func remove(_ source: CustomSource) { onLoop { $0.detach(source) } }

  /// Takes a descriptor source out of all modes; it can be added again, here or to another loop. May be
  /// called from any thread; from another than the loop's it takes effect at the loop's next turn, and the
  /// descriptor must stay open until then.
  public func remove(_ source: DescriptorSource) { onLoop { $0.detach(source) } }

  /// Takes a timer out of all modes; if it is added again it keeps its time. May be called from any thread;
  /// from another than the loop's it takes effect at the loop's next turn.
  public func remove(_ timer: RunLoopTimer) { onLoop { $0.detach(timer) } }

  /// Takes an observer out of all modes; it can be added again, here or to another loop. May be called from
  /// any thread; from another than the loop's it takes effect at the loop's next turn.
  public func remove(_ observer: RunLoopObserver) { onLoop { $0.detach(observer) } }

  // MARK: The loop's thread

  func add(_ source: CustomSource, in state: ModeState) {
    state.customSources[ObjectIdentifier(source)] = source
  }

  func add(_ source: DescriptorSource, in state: ModeState) {
    if let set = epollSet(of: state), set.add(source) { return }
    if state.descriptors?.isEmpty ?? false { state.descriptors = nil }
    // It cannot be watched. Told at the next turn, not from inside of `add`.
    let mode = state.mode
    guard source.binding.invalidate() else { return }
    perform(inModes: [mode]) { source.handler(.invalid) }
    detach(source)
  }

  func add(_ timer: RunLoopTimer, in state: ModeState) {
    if state.timers.contains(timer) { return }
    timerSequence += 1
    state.timers.insert(timer, fireAt: timer.begin(now: clock.now()), sequence: timerSequence)
  }

  func detach(_ source: CustomSource) {
    for state in modes.values { state.customSources[ObjectIdentifier(source)] = nil }
    commonSources.removeAll { $0 === source }
    finishDetaching(source.binding)
  }

  func detach(_ source: DescriptorSource) {
    for state in modes.values {
      state.descriptors?.remove(source)
      if state.descriptors?.isEmpty ?? false { state.descriptors = nil }
    }
    commonDescriptors.removeAll { $0 === source }
    finishDetaching(source.binding)
  }

  func detach(_ timer: RunLoopTimer) {
    for state in modes.values { state.timers.remove(timer) }
    commonTimers.removeAll { $0 === timer }
    finishDetaching(timer.binding)
  }

  func detach(_ observer: RunLoopObserver) {
    for state in modes.values { state.remove(observer) }
    commonObservers.removeAll { $0 === observer }
    finishDetaching(observer.binding)
  }

  private func finishDetaching(_ binding: ItemBinding) {
    binding.detach(from: mailbox)
    state.pointee.changed = true
  }

  /// The epoll set of a mode, made at first use; nil if the system has no descriptor left.
  func epollSet(of state: ModeState) -> EpollSet? {
    if let set = state.descriptors { return set }
    state.descriptors = EpollSet(eventDescriptor: mailbox.makeEventDescriptor())
    return state.descriptors
  }

  /// Takes the driver's descriptor out of all epoll sets.
  func forgetPolledDescriptors() {
    for state in modes.values { state.descriptors?.setPolled(-1) }
  }
}
