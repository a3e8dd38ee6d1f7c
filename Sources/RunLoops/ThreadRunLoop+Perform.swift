extension ThreadRunLoop {
  /// Has a block run on the loop's thread, and wakes the loop for it. Blocks run in the order in which they
  /// were handed in, as far as the loop's mode lets them. May be called from any thread.
  /// - Parameters:
  ///   - modes: in which the block may run; default: all common modes
  ///   - body: released on the loop's thread after it has run
  /// - Returns: false if the loop has ended: then the block will not run. (One that was taken may also never
  ///   run, if the loop ends before it comes to it.)
  @discardableResult
  public func perform(
    inModes modes: [RunLoopMode] = [.common], _ body: @escaping @Sendable () -> Void
  ) -> Bool {
    mailbox.post(.perform(Perform(modes: modes, body: body, onLoopEnd: nil)))
  }

  /// Has a block run on the loop's thread and waits for its result; on the loop's own thread it runs at once.
  ///
  /// Two loops that wait for each other wait for ever, and so does a caller whose modes the loop never
  /// enters. May be called from any thread.
  /// - Parameters:
  ///   - modes: in which the block may run; default: all common modes
  ///   - body: what to do
  /// - Returns: what the block returned.
  /// - Throws: what the block threw; ``RunLoopError/loopEnded`` if the loop ended before it came to it.
  public func performAndWait<Value: Sendable>(
    inModes modes: [RunLoopMode] = [.common], _ body: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    if isOwn { return try body() }
    let completion = Completion<Value>()
    let perform = Perform(modes: modes) {
      completion.finish(Result { try body() })
    } onLoopEnd: {
      completion.finish(.failure(RunLoopError.loopEnded))
    }
    guard mailbox.post(.perform(perform)) else { throw RunLoopError.loopEnded }
    return try completion.wait().get()
  }

  /// Ends the innermost run, as soon as what it does now is done; without a run, the next one ends at once.
  /// Several calls before it takes effect are one. May be called from any thread.
  public func stop() { mailbox.requestStop() }

  /// Makes the loop turn once more if it sleeps; if it does not, it will not sleep before it has turned once
  /// more. May be called from any thread.
  public func wakeUp() { mailbox.announce() }

  // MARK: The loop's thread

  /// Empties the mailbox: changes are made at once, blocks and signals are put where the turn finds them.
  func takeMessages() {
    var messages: [Mailbox.Message] = []
    // Swapped and not copied: it is this thread's alone, also if what is released below comes here again.
    swap(&messages, &inbox)
    mailbox.take(into: &messages)
    for message in messages {
      switch message {
      case .perform(var perform):
        performSequence += 1
        perform.sequence = performSequence
        sort(perform)
      case .signal(let source): signalled.append(source)
      case .change(let change):
        change(self)
        state.pointee.changed = true
      }
    }
    messages.removeAll(keepingCapacity: messages.capacity <= 4096)
    swap(&messages, &inbox)
  }

  /// Runs the blocks that are there now; those that they hand in wait for the next turn. True: there was one.
  func runPerforms() -> Bool {
    guard let bound = ready.lastSequence else { return false }
    willRunHandlers()
    while let perform = ready.popFirst(through: bound) { perform.body() }
    return true
  }

  /// Handles the custom sources that are signalled now and watched in the mode. True: there was one.
  func runSignalledSources(in mode: ModeState) -> Bool {
    var handled = false
    // Taken one by one, so that a run inside a handler finds the rest.
    for _ in 0..<signalled.count {
      guard !signalled.isEmpty else { break }
      let source = signalled.removeFirst()
      if mode.customSources[ObjectIdentifier(source)] == nil {
        if modes.values.contains(where: { $0.customSources[ObjectIdentifier(source)] != nil }) {
          heldSignals.append(source)
        }
        continue
      }
      if !source.isValid || !source.isSignalled { continue }
      willRunHandlers()
      if source.takeSignal() {
        source.perform()
        handled = true
      }
    }
    return handled
  }
}
