import Synchronization

/// What a lane counts: written by its leader with plain loads and stores, read by anybody.
///
/// Every request is answered or abandoned: `requests` = `answered` + `abandoned` + those in flight.
final class LaneFigures: Sendable {
  /// A counter with one writer at a time: leadership is handed on under a lock.
  struct Count: ~Copyable, Sendable {
    private let word = Atomic<UInt64>(0)
    var value: UInt64 { word.load(ordering: .relaxed) }
    func add(_ amount: UInt64 = 1) { word.store(word.load(ordering: .relaxed) &+ amount, ordering: .relaxed) }
    func subtract() { word.store(word.load(ordering: .relaxed) &- 1, ordering: .relaxed) }
  }

  /// Requests whose head has come.
  let requests = Count()
  /// Answers handed to libmicrohttpd.
  let answered = Count()
  /// Requests whose connection went before an answer was queued.
  let abandoned = Count()
  /// Answered ones whose connection broke before the answer was out.
  let aborted = Count()
  /// Connections accepted so far, and open now.
  let connectionsAccepted = Count()
  let connectionsOpen = Count()
  /// Connections closed so far.
  var connectionsClosed: UInt64 { connectionsAccepted.value &- connectionsOpen.value }
  /// Ended with 503 because a drain took too long.
  let expired = Count()
  /// Ended with 504 because they took longer than they may.
  let timedOut = Count()
  /// Passes made, and exchanges suspended.
  let passes = Count()
  let suspensions = Count()
}
