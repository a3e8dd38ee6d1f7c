import RunLoops

/// A source of work that exactly one thread at a time may ask: the pool decides which.
///
/// The thread that may is the leader. Everything here is called by the leader only, except ``refuse(_:on:)``, and
/// ``pollDescriptor`` and ``wakeDescriptor``, which never change. Leadership is handed on under the pool's lock, so what one leader wrote the next
/// one sees. (Leader/followers: Schmidt et al., Pattern-Oriented Software Architecture 2, 2000.)
package protocol Lane: AnyObject, Sendable {
  /// The epoll set that becomes readable when a pass is due.
  var pollDescriptor: Int32 { get }

  /// The eventfd, a member of that set, whose writing makes a sleeping leader pass again.
  var wakeDescriptor: Int32 { get }

  /// One pass: takes the messages, lets the source run, collects what became runnable.
  func pass(on worker: Worker) -> LanePass

  /// Marks the lane as asleep, unless a message has come since the last pass. False: pass again, do not sleep.
  func prepareToSleep() -> Bool

  /// Sleeps until ``pollDescriptor`` is readable, at most so long (negative: for ever); may already do what a pass begins with.
  /// Called after ``prepareToSleep()`` has answered true, by a leader whose run loop watches nothing else.
  /// - Returns: false: it was broken for no reason, and may be asked again.
  func sleep(nanoseconds: Int64) -> Bool

  /// Answers items that the pool could not take because its queue is full. Called after the leader may have given the lane up
  /// already, so this is not a leader's step: it may touch nothing that is the leader's.
  func refuse(_ items: consuming WorkChain, on worker: Worker)

  /// Closes the lane for good. Called once, after a pass that said ``LanePass/isDrained``.
  func close()
}

extension Lane {
  package func sleep(nanoseconds: Int64) -> Bool { pollEpollSet(pollDescriptor, nanoseconds: nanoseconds) }
}

/// What a pass found.
package struct LanePass: ~Copyable {
  /// The items that became runnable, in order.
  package var batch: WorkChain

  /// Nanoseconds after which the next pass is due even if nothing happens: 0 at once, `Int64.max` never.
  package var timeout: Int64

  /// The lane is draining and holds nothing that is unfinished.
  package var isDrained: Bool

  /// When the pass looked at the clock: CLOCK_MONOTONIC, nanoseconds; 0: it did not.
  package var clock: Int64

  /// What a pass found.
  package init(batch: consuming WorkChain, timeout: Int64, isDrained: Bool, clock: Int64 = 0) {
    self.batch = batch
    self.timeout = timeout
    self.isDrained = isDrained
    self.clock = clock
  }
}
