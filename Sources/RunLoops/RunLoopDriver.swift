import CPlatform
import Glibc

/// The one source that may decide how a run loop waits: how a worker of the pool lives in its loop.
///
/// A driver is called from its loop's thread only.
package protocol RunLoopDriver: AnyObject {
  /// Called once per turn, on the loop's thread, in the driver's modes. Never re-entrantly: a run that is
  /// nested inside a turn (a request's handler that runs the loop) does without the driver.
  func turn(in loop: ThreadRunLoop) -> RunLoopVerdict

  /// Called on the loop's thread, outside of the driver's turn, before handlers of the application are run
  /// (blocks, timers, sources, notifications) or the run ends: the thread may be busy elsewhere for long, so
  /// the driver gives up what others count on.
  ///
  /// If the loop is marked as parked, the driver must take itself off its owner's stack and end with
  /// ``ThreadRunLoop/consumeToken()`` having answered true (it was called already: remember that for the next
  /// turn) or with ``ThreadRunLoop/cancelPark()``; the loop checks that the mark is gone. If it is not, a
  /// driver that holds nothing returns at once.
  func willHandleMessages(in loop: ThreadRunLoop)

  /// Sleeps until the epoll set of a ``RunLoopVerdict/poll(descriptor:until:)`` has something ready, at most so long (negative: for
  /// ever). Called on the loop's thread, and only where the loop watches no other descriptor; a driver may sleep in another way that
  /// ends for the same reasons, and may begin to handle what woke it. The default leaves what is ready where it is.
  /// - Returns: false: it was broken for no reason, and may be asked again.
  func wait(in descriptor: Int32, nanoseconds: Int64) -> Bool
}

extension RunLoopDriver {
  package func wait(in descriptor: Int32, nanoseconds: Int64) -> Bool {
    pollEpollSet(descriptor, nanoseconds: nanoseconds)
  }
}

/// Sleeps until an epoll set has something ready, without taking it, at most so long (negative: for ever). False: a signal broke it.
package func pollEpollSet(_ descriptor: Int32, nanoseconds: Int64) -> Bool {
  withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 8) { events in
    guard let base = events.baseAddress else { return false }
    let count = heddle_epoll_wait(descriptor, base, 8, nanoseconds)
    precondition(count >= 0 || count == -EINTR, "The driver's descriptor is not an epoll set (error \(-count))")
    return count >= 0
  }
}

/// What a driver wants the loop to do next.
package enum RunLoopVerdict: Hashable, Sendable {
  /// Something was done: another turn, no wait.
  case again
  /// Wait on the futex word, or in the loop's own epoll set, at most until this nanosecond of
  /// `CLOCK_MONOTONIC` (`Int64.max`: for ever). ``ThreadRunLoop/prepareToPark()`` has been called and has
  /// answered true.
  case park(until: Int64)
  /// Wait until this epoll set has something ready, at most until that nanosecond. The events are not looked
  /// at.
  case poll(descriptor: Int32, until: Int64)
  /// Leave the run with ``RunLoopResult/stopped``.
  case end
}

/// A wake-up that is owed to a loop: a system call, to be made after the caller's lock is released.
///
/// It may be paid late or never be needed any more: then it wakes nobody. It keeps alive what it needs, so
/// the loop may have ended meanwhile. May be paid from any thread.
package struct WakeUpDebt: Sendable {
  fileprivate let mailbox: Mailbox?
  fileprivate let bits: UInt32

  /// Nothing is owed.
  package static let none = WakeUpDebt(mailbox: nil, bits: 0)

  /// Whether there is anything to pay.
  package var isOwed: Bool { mailbox != nil }

  /// Makes the futex wake or the eventfd write, if one is owed.
  package func pay() { mailbox?.wake(bits) }
}

extension ThreadRunLoop {
  /// Installs the driver, or with nil removes it. The loop keeps it alive until then, or until the loop ends.
  /// Own thread only, and not while the loop is parked. A token that was not consumed is dropped.
  package func setDriver(_ driver: (any RunLoopDriver)?, modes: [RunLoopMode] = [.default]) {
    preconditionOwnThread()
    precondition(mailbox.word.glance & ParkingWord.parked == 0, "The driver is changed while it is parked")
    mailbox.word.clear(ParkingWord.token)
    self.driver = driver
    driverModes = Set(modes)
    state.pointee.driverVersion &+= 1
    state.pointee.changed = true
  }

  /// Marks the loop as parked, unless a message (perform, signal, change, stop, wake-up) or a token is there
  /// already.
  ///
  /// Own thread only; called by the driver while it holds its own lock, so that being marked and being on the
  /// stack are one step.
  /// - Returns: false: do not park, answer ``RunLoopVerdict/again``.
  package func prepareToPark() -> Bool {
    mailbox.testHook?(.beforeParkCommit)
    return mailbox.word.claim(ownParkBit)
  }

  /// Sets the token, for a loop that the caller has just taken off its stack. Any thread; meant to be called
  /// with the caller's lock held.
  /// - Returns: the wake-up that the caller owes, to be paid after unlocking.
  package func deliverToken() -> WakeUpDebt {
    let old = mailbox.word.set(ParkingWord.token)
    let asleep = ParkingWord.parked | ParkingWord.polling
    // A message was there: who sent it pays, and the loop sees the token when it has handled it.
    if old & (ParkingWord.message | ParkingWord.token) != 0 || old & asleep == 0 { return .none }
    return WakeUpDebt(mailbox: mailbox, bits: old)
  }

  /// Whether a token was delivered since the last time; clears it, and with it the mark as parked. Own thread
  /// only.
  package func consumeToken() -> Bool {
    guard mailbox.word.glance & ParkingWord.token != 0 else { return false }
    mailbox.word.clear(ParkingWord.token | ParkingWord.parked)
    return true
  }

  /// Clears the mark as parked: the driver took itself off the stack for another reason than a token. Own
  /// thread only.
  package func cancelPark() { mailbox.word.clear(ParkingWord.parked) }

  /// Says which eventfd others write to, to wake this loop while it polls a descriptor of the driver; -1:
  /// none.
  ///
  /// It must be in the epoll set that is polled, either edge-triggered or cleared by the driver: the loop
  /// does not read it. When this returns nobody writes to the old descriptor any more, so it may be closed.
  /// With none the loop waits in an epoll set of its own, around the driver's. Before a polled descriptor is
  /// closed, set another or none here. Own thread only.
  package func setPollWakeDescriptor(_ descriptor: Int32) {
    preconditionOwnThread()
    if descriptor == pollWakeDescriptor { return }
    mailbox.setPollWakeDescriptor(descriptor)
    pollWakeDescriptor = descriptor
    forgetPolledDescriptors()
  }

  /// The bit that says where the loop would sleep now: in its epoll set if the current mode watches
  /// descriptors.
  var ownParkBit: UInt32 {
    current?.descriptors == nil ? ParkingWord.parkedOnFutex : ParkingWord.parkedInEpoll
  }
}
