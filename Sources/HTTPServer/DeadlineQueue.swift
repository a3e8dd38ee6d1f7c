/// Requests that have the same time limit, in the order in which they will run out of it: the order in which they came. So a
/// request is entered and taken out in constant time, and only the first one need be looked at.
///
/// The leader's. The references are libmicrohttpd's: an exchange leaves the queue before it is let go.
struct DeadlineQueue {
  /// The time limit, in nanoseconds from the complete request to the finished answer.
  let timeout: Int64
  private var first: Unmanaged<Exchange>?
  private var last: Unmanaged<Exchange>?

  init(timeout: Int64) { self.timeout = timeout }

  /// When the first one runs out of time, CLOCK_MONOTONIC in nanoseconds; nil: there is none.
  var next: Int64? { first.map { $0._withUnsafeGuaranteedRef { $0.completeAt } &+ timeout } }

  /// The first one.
  var head: Exchange? { first?.takeUnretainedValue() }

  /// Enters a request that has just come.
  mutating func append(_ exchange: Exchange) {
    let new = Unmanaged.passUnretained(exchange)
    exchange.deadlineLinks = Exchange.DeadlineLinks(isQueued: true, previous: last, next: nil)
    if let last {
      last._withUnsafeGuaranteedRef { $0.deadlineLinks.next = new }
    } else {
      first = new
    }
    last = new
  }

  /// Takes a request out, if it is in.
  mutating func remove(_ exchange: Exchange) {
    let links = exchange.deadlineLinks
    guard links.isQueued else { return }
    if let previous = links.previous {
      previous._withUnsafeGuaranteedRef { $0.deadlineLinks.next = links.next }
    } else {
      first = links.next
    }
    if let next = links.next {
      next._withUnsafeGuaranteedRef { $0.deadlineLinks.previous = links.previous }
    } else {
      last = links.previous
    }
    exchange.deadlineLinks = Exchange.DeadlineLinks()
  }
}

extension Exchange {
  /// Leaves the queue of its time limit, in which it is.
  func leaveDeadlines(_ queues: inout [DeadlineQueue]) {
    guard let queue = runtime?._withUnsafeGuaranteedRef({ $0.deadlineQueue }) else { return }
    queues[queue].remove(self)
  }
}
