extension ThreadRunLoop {
  /// Makes a mode one of the common ones: it gets what was added to ``RunLoopMode/common`` so far, and what
  /// will be.
  ///
  /// May be called from any thread; from another than the loop's it takes effect at the loop's next turn. A
  /// mode stays common.
  public func addCommonMode(_ mode: RunLoopMode) {
    onLoop { loop in
      let state = loop.modeState(mode)
      if state.isCommon { return }
      state.isCommon = true
      for source in loop.commonSources { loop.add(source, in: state) }
      for source in loop.commonDescriptors { loop.add(source, in: state) }
      for timer in loop.commonTimers { loop.add(timer, in: state) }
      for observer in loop.commonObservers { state.add(observer) }
      loop.sortMessages()
    }
  }

  /// What is known of a mode, made at first use.
  func modeState(_ mode: RunLoopMode) -> ModeState {
    precondition(mode != .common, "The common modes are not a mode that a run loop can be in")
    if let state = modes[mode] { return state }
    let state = ModeState(mode)
    modes[mode] = state
    return state
  }

  /// The modes that a name stands for.
  func states(_ mode: RunLoopMode) -> [ModeState] {
    mode == .common ? modes.values.filter(\.isCommon) : [modeState(mode)]
  }

  /// Runs a change of what is watched: at once on the loop's own thread, else as a message.
  func onLoop(_ body: @escaping @Sendable (ThreadRunLoop) -> Void) {
    if isOwn {
      body(self)
      state.pointee.changed = true
    } else {
      mailbox.post(.change(body))
    }
  }

  /// Whether a block or driver with these modes has its turn in the current one.
  func isCurrent(_ modes: some Sequence<RunLoopMode>) -> Bool {
    guard let current else { return false }
    return modes.contains { $0 == current.mode || ($0 == .common && current.isCommon) }
  }

  /// Sorts blocks and signals anew into those that concern the current mode and the others.
  func sortMessages() {
    let performs = (ready.removeAll() + held.removeAll()).sorted { $0.sequence < $1.sequence }
    for perform in performs { sort(perform) }
    signalled += heldSignals
    heldSignals = []
    state.pointee.changed = true
  }

  func sort(_ perform: Perform) {
    if isCurrent(perform.modes) { ready.append(perform) } else { held.append(perform) }
  }
}
