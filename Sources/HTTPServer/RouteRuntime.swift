import HTTPMessages
import Locks
import Synchronization
import WorkerPool

/// What serving needs to know of a route, laid out so that looking at it takes no reference.
struct RouteRuntime: ~Copyable, Sendable {
  /// What answers.
  let handler: Handler
  /// Answered on the leading thread itself.
  let isInline: Bool
  /// The most bytes of a body.
  let bodyLimit: Int
  /// Which of the time limits holds, an index into ``RouteRuntimes/timeouts``; -1: none.
  let deadlineQueue: Int
  /// How soon its requests are run.
  let priority: WorkPriority
  /// What caps how many run at once: one of ``RouteRuntimes/bulkheads``.
  let bulkhead: Unmanaged<Bulkhead>?
  /// How long the handler is expected to run.
  let estimate = ServiceEstimate()

  init(_ entry: RouteEntry, deadlineQueue: Int, bulkhead: Bulkhead?, configuration: HTTPConfiguration) {
    self.deadlineQueue = deadlineQueue
    self.bulkhead = bulkhead.map(Unmanaged.passUnretained)
    priority = WorkPriority(entry.options.priority)
    handler = entry.handler
    isInline = entry.options.isInline
    bodyLimit = entry.options.maxBodyBytes ?? configuration.maxBodyBytes
  }
}

extension WorkPriority {
  /// The pool's word for a route's priority.
  init(_ priority: RouteOptions.Priority) {
    switch priority {
    case .high: self = .high
    case .normal: self = .normal
    case .low: self = .low
    }
  }
}

/// The routes of one server by their numbers: memory that stays where it is, so that a look costs one load.
final class RouteRuntimes: @unchecked Sendable {
  // Unchecked: filled in init and never changed; what can change in it is atomic.
  private let routes: UnsafeMutableBufferPointer<RouteRuntime>

  /// Each time limit that some route has, in nanoseconds, once.
  let timeouts: [Int64]

  /// The routes that cap how many of their requests run at once, by their numbers.
  let bulkheads: [(route: Int, bulkhead: Bulkhead)]

  init(_ table: RouteTable, configuration: HTTPConfiguration) {
    routes = .allocate(capacity: table.routes.count)
    var timeouts: [Int64] = []
    var bulkheads: [(Int, Bulkhead)] = []
    for (index, entry) in table.routes.enumerated() {
      let timeout = (entry.options.timeout ?? configuration.requestTimeout).wholeNanoseconds
      var queue = -1
      // An inline route is answered before anybody could look.
      if timeout > 0, !entry.options.isInline {
        queue = timeouts.firstIndex(of: timeout) ?? timeouts.count
        if queue == timeouts.count { timeouts.append(timeout) }
      }
      var bulkhead: Bulkhead?
      if let limit = entry.options.maxConcurrent, !entry.options.isInline {
        let made = Bulkhead(limit: limit, waitingLimit: entry.options.maxWaiting)
        bulkheads.append((index, made))
        bulkhead = made
      }
      routes.initializeElement(
        at: index,
        to: RouteRuntime(entry, deadlineQueue: queue, bulkhead: bulkhead, configuration: configuration))
    }
    self.timeouts = timeouts
    self.bulkheads = bulkheads
  }

  deinit {
    routes.deinitialize()
    routes.deallocate()
  }

  /// The same by its address, which stays.
  func pointer(at index: Int) -> UnsafeMutablePointer<RouteRuntime> {
    precondition(routes.indices.contains(index), "no such route")
    return routes.baseAddress.unsafelyUnwrapped + index
  }

  /// The route of a number that the table gave out.
  subscript(index: Int) -> RouteRuntime {
    _read {
      precondition(routes.indices.contains(index), "no such route")
      yield routes[index]
    }
  }
}
