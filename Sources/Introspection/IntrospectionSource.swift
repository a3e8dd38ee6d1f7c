package import Metrics
package import WorkerPool

/// What introspection needs to know of a server, so that it need not know the server.
package struct IntrospectionSource: Sendable {
  /// The pool that is shown.
  package var pool: WorkerPool
  /// The server's own figures.
  package var http: @Sendable () -> HTTPStatistics
  /// The label of a kind of work item: of a route.
  package var label: @Sendable (Int) -> String
  /// The name of a detail of a work item: of a method.
  package var detail: @Sendable (Int) -> String
  /// Whether the server is on its way out.
  package var isDraining: @Sendable () -> Bool
  /// The thread that watches over the pool, which is no worker.
  package var mainThread: MainThread

  /// That thread as far as it is shown.
  package struct MainThread: Sendable {
    package var tid: Int32
    package var name: String
    package var isWaiting: @Sendable () -> Bool
    package var iterationsTotal: @Sendable () -> UInt64

    package init(
      tid: Int32, name: String, isWaiting: @escaping @Sendable () -> Bool,
      iterationsTotal: @escaping @Sendable () -> UInt64
    ) {
      self.tid = tid
      self.name = name
      self.isWaiting = isWaiting
      self.iterationsTotal = iterationsTotal
    }
  }

  package init(
    pool: WorkerPool, http: @escaping @Sendable () -> HTTPStatistics, label: @escaping @Sendable (Int) -> String,
    detail: @escaping @Sendable (Int) -> String, isDraining: @escaping @Sendable () -> Bool, mainThread: MainThread
  ) {
    self.pool = pool
    self.http = http
    self.label = label
    self.detail = detail
    self.isDraining = isDraining
    self.mainThread = mainThread
  }
}
