import CPlatform

extension ThreadRunLoop {
  /// Ends the calling thread's loop, if it has one: called as the thread ends.
  ///
  /// What is released then may ask for a loop once more and so make another; that one is ended too, a few
  /// times over.
  static func endCurrent() {
    for _ in 0..<4 {
      guard let pointer = heddle_tls_get(HEDDLE_TLS_LOOP) else { return }
      let loop = Unmanaged<ThreadRunLoop>.fromOpaque(pointer)
      loop._withUnsafeGuaranteedRef { $0.end() }
      heddle_tls_set(HEDDLE_TLS_LOOP, nil)
      loop.release()
    }
  }

  /// Lets go of all that the loop holds, and of who waits for it. Others may hold the object for longer.
  private func end() {
    // Messages first: from now on nothing new comes in.
    for case .perform(let perform) in mailbox.end() { perform.onLoopEnd?() }
    for perform in ready.removeAll() + held.removeAll() { perform.onLoopEnd?() }
    signalled = []
    heldSignals = []
    for mode in modes.values { detachAll(in: mode) }
    modes = [:]
    current = nil
    (commonSources, commonDescriptors, commonTimers, commonObservers) = ([], [], [], [])
    driver = nil
    notifications = NotificationQueue()
  }

  private func detachAll(in mode: ModeState) {
    for source in mode.customSources.values { source.binding.detach(from: mailbox) }
    for source in mode.descriptors?.sources ?? [] { source.binding.detach(from: mailbox) }
    for entry in mode.timers.entries { entry.timer.binding.detach(from: mailbox) }
    for observer in mode.observers { observer.binding.detach(from: mailbox) }
  }
}
