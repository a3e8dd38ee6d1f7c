public import WorkerPool

/// The worker pool of a running server.
extension Server {
  /// The limits of the pool that hold now. May be called from any thread.
  public var poolLimits: PoolLimits { service.pool.limits }

  /// Changes the limits of the pool while it runs, as `PATCH /api/pool` does: threads above a new maximum end when they have
  /// nothing in hand, and a new minimum is made up. May be called from any thread.
  ///
  /// - Throws: ``ServerError`` with the reason if the limits contradict each other or cannot serve the lanes; nothing is changed then
  public func setPoolLimits(_ limits: PoolLimits) throws {
    do {
      try service.pool.setLimits(limits)
    } catch {
      throw ServerError(text: error.description)
    }
  }
}
