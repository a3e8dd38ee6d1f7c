// How the loop sleeps. All three ways end in `sleep`, and answer whether a descriptor source was handled.

import CPlatform
import Glibc
import Interleavings

extension ThreadRunLoop {
  /// Where the loop sleeps.
  private enum Place {
    case word
    case set(EpollSet)
    /// An epoll set of the driver's, whose events nobody looks at.
    case descriptor(Int32)
  }

  /// Sleeps for a driver that has marked the loop as parked. Neither the mark nor a token is cleared here:
  /// the driver decides.
  func waitParked(_ mode: ModeState, until limit: Int64) -> Bool {
    let mark = mailbox.word.glance & ParkingWord.parked
    precondition(mark != 0, "A run loop's driver wants to park without prepareToPark having answered true")
    if mustTurn() { return false }
    notify(.beforeWaiting, in: mode)
    if mark != ownParkBit {
      // What the mode watches has changed since the mark was made: the driver makes another.
      willRunHandlers()
    } else if mailbox.word.glance == mark, !state.pointee.changed {
      sleep(mode, mark, in: ownPlace(mode), until: limit)
    }
    return finishWaiting(mode)
  }

  /// Sleeps until the driver's descriptor has something.
  func waitPolling(_ mode: ModeState, _ descriptor: Int32, until limit: Int64) -> Bool {
    if mustTurn() { return false }
    notify(.beforeWaiting, in: mode)
    // Only an epoll set of our own can wait for the driver's descriptor and for something else.
    let needsOwnSet = mode.descriptors != nil || pollWakeDescriptor < 0
    let set = needsOwnSet ? epollSet(of: mode) : nil
    precondition(!needsOwnSet || set != nil, "The run loop cannot poll: the system has no descriptor left")
    if !state.pointee.changed {
      if mailbox.word.claim(ParkingWord.polling) {
        set?.setPolled(descriptor)
        sleep(mode, ParkingWord.polling, in: set.map(Place.set) ?? .descriptor(descriptor), until: limit)
        mailbox.word.clear(ParkingWord.polling)
      } else {
        precondition(
          mailbox.word.glance & ParkingWord.parked == 0, "A run loop's driver wants to poll while it is parked")
      }
    }
    return finishWaiting(mode)
  }

  /// Sleeps without a driver.
  func waitAlone(_ mode: ModeState, until limit: Int64) -> Bool {
    if mustTurn() { return false }
    notify(.beforeWaiting, in: mode)
    mailbox.testHook?(.beforeParkCommit)
    let mark = ownParkBit
    if !state.pointee.changed, let word = mailbox.word.claimUnlessMessage(mark) {
      sleep(mode, word, in: ownPlace(mode), until: limit)
      mailbox.word.clear(mark)
    }
    return finishWaiting(mode)
  }

  /// Whether there is something to do before the loop may sleep.
  private func mustTurn() -> Bool {
    state.pointee.changed || !ready.isEmpty || !signalled.isEmpty || deliverForIdle()
  }

  private func finishWaiting(_ mode: ModeState) -> Bool {
    if mode.observed.contains(.afterWaiting) {
      willTellObservers()
      notify(.afterWaiting, in: mode)
    }
    guard let set = mode.descriptors else { return false }
    return set.dispatch(takesPolled: true, willRunHandlers)
  }

  private func ownPlace(_ mode: ModeState) -> Place {
    guard let set = mode.descriptors else { return .word }
    set.setPolled(-1)
    return .set(set)
  }

  /// Sleeps while the word is `word`, at most until `limit` and the mode's next timer.
  private func sleep(_ mode: ModeState, _ word: UInt32, in place: Place, until limit: Int64) {
    mailbox.testHook?(.beforeWait)
    var now = clock.now()
    let limit = min(limit, mode.timers.first?.fireAt ?? .max)
    if limit <= now {
      // Still a look at the descriptors, for a run that may only take one turn.
      if case .set(let set) = place { _ = set.wait(nanoseconds: 0) }
      return
    }
    Interleaving.reach(.beforeWait)
    counters.beginWait(at: now)
    Interleaving.willSleep()
    // Once more if a signal, or a wake-up that was paid late, broke the sleep and nothing is in the word.
    while mailbox.word.glance == word, limit > now {
      if sleep(while: word, in: place, nanoseconds: limit == .max ? -1 : limit - now) { break }
      now = clock.now()
    }
    Interleaving.hasWoken()
    counters.endWait(at: clock.now())
    mailbox.testHook?(.afterWait)
  }

  /// One sleep. False: it was broken for no reason.
  private func sleep(while word: UInt32, in place: Place, nanoseconds: Int64) -> Bool {
    switch place {
    case .word:
      let result = mailbox.word.sleep(while: word, nanoseconds: nanoseconds)
      return result == ETIMEDOUT || mailbox.word.glance != word
    case .set(let set):
      return set.wait(nanoseconds: nanoseconds)
    case .descriptor(let descriptor):
      return driver?.wait(in: descriptor, nanoseconds: nanoseconds) ?? true
    }
  }
}
