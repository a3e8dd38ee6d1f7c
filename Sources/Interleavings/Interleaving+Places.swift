extension Interleaving {
  /// Where a thread can be held. Each is named after what comes next.
  public enum Place: String, Sendable, Hashable, CaseIterable {
    // The lane's leader.
    /// A pass begins; the inbox has not been taken.
    case beforeTake
    /// The inbox has been taken, libmicrohttpd has not run.
    case beforeRun
    /// The exchange was seen without an answer; it is not marked as suspended.
    case beforeMark
    /// It is marked; libmicrohttpd has not suspended the connection.
    case beforeSuspend
    /// libmicrohttpd lets go of the request; the exchange is not marked as abandoned.
    case beforeAbandon
    /// The pass is over; what it collected is not published.
    case beforePublish
    /// There is nothing to do; the inbox is not marked as asleep.
    case beforeSleepMark
    /// The lane is drained and empty; libmicrohttpd has not been stopped.
    case beforeStop
    /// It has been; the scheduler does not know.
    case beforeClosed

    // Whoever finishes an exchange.
    /// The handler has returned; the exchange is not claimed.
    case beforeClaim
    /// It is claimed and the answer made, but not marked as finished.
    case beforeFinish
    /// It is marked, and was suspended; it is not in the inbox.
    case beforePush
    /// The message is in the inbox of a leader that was asleep; it has not been woken.
    case beforeSignal

    // A worker.
    /// It has nothing in hand and has not asked the scheduler.
    case beforeNext
    /// The scheduler has decided; who is to be woken or made is not yet.
    case beforeDebts
    /// The lane has been given up, or was never held; the item does not run yet.
    case beforeItem
    /// The park is over; it has not asked whether it was called, or may end.
    case beforeIdleEnd
    /// A message of the run loop has come; the worker has not given up what it holds.
    case beforeMessages

    // The monitor.
    /// A tick is due.
    case beforeTick
    /// Items were taken off the queue because they waited too long; they are not answered.
    case beforeExpiry

    // Any run loop.
    /// It is marked as parked or waiting; it does not sleep in the kernel.
    case beforeWait
    /// The sleep is over.
    case afterWait

    // For tests.
    /// Between the two steps of a wrong variant.
    case betweenTwoSteps
    /// The thread has been started and has done nothing.
    case birth
    /// It waits for something, and looks again and again.
    case idling
    /// In a handler, or in a client or whoever else takes part.
    case handler, client, manager
    /// In a client that is about to reset its connection.
    case leaving
  }

  /// What is counted.
  public enum Event: Sendable {
    case exchangeMade, exchangeFreed
    /// An answer that must be released once.
    case answerMade, answerReleased
    case connectionSuspended, connectionResumed
    case passBegins, passEnds
  }

  /// What otherwise the clock decides.
  public enum Choice: Sendable {
    /// The idle time of a worker that parks is over at once.
    case idleTimeIsOver
    /// The time limit of every request on the lane is over.
    case timeLimitIsOver
    /// The queue deadline of everything in the queue is over.
    case queueDeadlineIsOver
  }
}
