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
  /// The route's label in metrics and logs. Default nil: the pattern.
  public var label: String?

  /// The options; the defaults suit a handler that may block.
  public init(isInline: Bool = false, maxBodyBytes: Int? = nil, timeout: Duration? = nil, label: String? = nil) {
    self.isInline = isInline
    self.maxBodyBytes = maxBodyBytes
    self.timeout = timeout
    self.label = label
  }
}
