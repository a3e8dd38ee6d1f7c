public import HTTPServer
public import WorkerPool

/// How a server is set: one struct for each concern.
public struct ServerConfiguration: Sendable {
  /// Where to listen, and what clients may do.
  public var http: HTTPConfiguration

  /// The worker pool.
  public var pool: PoolConfiguration

  /// Whether the server shows itself: `/healthz`, `/readyz`, `/metrics`, `/api/…`. Default true. A route of the
  /// application with the same pattern takes precedence.
  public var introspection = true

  /// What is served at `/`. Default: the dashboard, while introspection is on.
  public var pages = Pages.dashboard

  /// Where the log goes. Default: standard error, from level `info`.
  public var log = Log()

  /// What is served at `/`, where the application has no route there.
  public enum Pages: Sendable, Equatable {
    /// The page that shows the live figures.
    case dashboard
    /// The files of a folder.
    case folder(String)
    /// Nothing.
    case none
  }

  /// A configuration with every setting at its default but those named.
  public init(http: HTTPConfiguration = HTTPConfiguration(), pool: PoolConfiguration = PoolConfiguration()) {
    self.http = http
    self.pool = pool
  }

  /// A configuration for a host and a port, everything else at its default.
  public init(host: String = "127.0.0.1", port: UInt16) {
    self.init(http: HTTPConfiguration(host: host, port: port))
  }
}
