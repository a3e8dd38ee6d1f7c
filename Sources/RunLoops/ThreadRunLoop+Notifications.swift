extension ThreadRunLoop {
  /// Has a handler told of the notifications of one name, until ``removeNotificationHandler(_:)``. Own thread
  /// only.
  /// - Returns: a number to remove it by.
  @discardableResult
  public func addNotificationHandler(
    for name: String, _ handler: @escaping @Sendable (LoopNotification) -> Void
  ) -> UInt64 {
    preconditionOwnThread()
    return notifications.observe(name, handler)
  }

  /// Removes a handler; no effect if it is not there. Own thread only.
  public func removeNotificationHandler(_ number: UInt64) {
    preconditionOwnThread()
    notifications.removeObserver(number)
  }

  /// Tells this thread's handlers of something, now or at a better time.
  ///
  /// A notification that waits is told in whatever mode the loop runs; it does not keep the loop running, but
  /// is told before a run finds that it has nothing to watch. Own thread only: from another, post inside of
  /// ``perform(inModes:_:)``.
  /// - Parameters:
  ///   - notification: what has happened
  ///   - delivery: when to tell
  ///   - coalescing: which notifications in the same queue make this one superfluous; for
  ///     ``LoopNotification/Delivery/now``, which waiting ones it makes superfluous. Default: those of the
  ///     same name and token.
  public func post(
    _ notification: LoopNotification, when delivery: LoopNotification.Delivery,
    coalescing: LoopNotification.Coalescing = [.onName, .onToken]
  ) {
    preconditionOwnThread()
    switch delivery {
    case .now:
      notifications.dequeue(notification, coalescing)
      deliver([notification])
    case .asap, .whenIdle:
      notifications.enqueue(notification, whenIdle: delivery == .whenIdle, coalescing)
      if delivery == .asap { state.pointee.changed = true }
    }
  }

  private func deliver(_ batch: [LoopNotification]) {
    for notification in batch {
      for handler in notifications.handlers(for: notification) { handler(notification) }
    }
  }

  /// Tells what was to be told as soon as possible. True: there was something.
  func deliverForTurn() -> Bool {
    if notifications.waitingForTurn.isEmpty { return false }
    willRunHandlers()
    deliver(notifications.takeForTurn())
    return true
  }

  /// Tells what was to be told when idle. True: there was something, so look again before sleeping.
  func deliverForIdle() -> Bool {
    if notifications.waitingForIdle.isEmpty { return false }
    willRunHandlers()
    deliver(notifications.takeForIdle())
    return true
  }
}
