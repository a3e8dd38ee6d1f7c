/// How one route is served.
public struct RouteOptions: Sendable, Hashable {
  /// Answered by the thread that leads the lane, without waiting for a worker. Such a handler, and the middleware around
  /// it, must never block: it would stop every connection of the lane. Default false.
  public var isInline: Bool
  /// The longest body in bytes, beyond which 413 is answered. Default nil: the server's limit.
  public var maxBodyBytes: Int?
  /// How long a request may take before its client gets 504 and its handler is told to stop. Default nil: the server's
  /// limit; zero: for ever. Has no effect on an inline route.
  public var timeout: Duration?
  /// How soon its requests are run, compared with others that wait. Default normal. Has no effect on an inline route.
  public var priority: Priority
  /// How many of its requests may run at once, at least 1: a bulkhead, so that a route that has become slow takes a part of the threads
  /// and not all of them. Requests beyond wait without a thread, in order, and keep no other route's waiting. Default nil: as many as there are
  /// threads. Has no effect on an inline route.
  public var maxConcurrent: Int?
  /// How many of its requests may wait because ``maxConcurrent`` run; one more gets 503 at once. Default nil: as many as the server's queue
  /// takes, which other routes' requests need too. Has no effect without `maxConcurrent`.
  public var maxWaiting: Int?
  /// The route's label in metrics and logs. Default nil: the pattern.
  public var label: String?

  /// How soon a request is run, compared with others that wait for a thread.
  ///
  /// While requests of all three wait, of 21 that are taken 16 are of high priority, 4 normal and 1 low; what one does not use is the others'.
  /// So none is kept waiting for ever by the others, and within a priority requests are taken in the order in which they came.
  public enum Priority: Sendable, Hashable, CaseIterable {
    /// For short requests that people wait for.
    case high
    /// For most.
    case normal
    /// For what may wait: reports, exports, maintenance.
    case low
  }

  /// The options; the defaults suit a handler that may block.
  public init(
    isInline: Bool = false, maxBodyBytes: Int? = nil, timeout: Duration? = nil, priority: Priority = .normal,
    maxConcurrent: Int? = nil, maxWaiting: Int? = nil, label: String? = nil
  ) {
    self.isInline = isInline
    self.maxBodyBytes = maxBodyBytes
    self.timeout = timeout
    self.priority = priority
    self.maxConcurrent = maxConcurrent
    self.maxWaiting = maxWaiting
    self.label = label
  }
}
