/// What `heddle serve` is asked to do: plain values, each with its default.
///
/// The flags, their environment variables and the values that each accepts are in `ServeOption.sections`.
struct ServeOptions: Equatable, Sendable {
  /// The address to listen on, or a name of it. IPv6 without brackets.
  var host = "127.0.0.1"

  /// The TCP port; 0 lets the system pick a free one.
  var port: UInt16 = 8080

  /// Workers that are kept even when idle; nil means `defaultMinThreads(cores:)`.
  var minThreads: Int?

  /// The most workers there may be at once.
  var maxThreads = 64

  /// How long a worker above the minimum may be idle before it ends.
  var idleTimeout = Duration.seconds(30)

  /// How many requests may wait for a worker; what comes beyond gets 503.
  var queueLimit = 1024

  /// How long a request may wait for a worker before it gets 503; zero means for ever.
  var queueDeadline = Duration.seconds(10)

  /// How long a request may wait while the server is overloaded; zero means that nothing is shed.
  var shedTarget = Duration.zero

  /// For how long requests must have waited too long before some are shed.
  var shedInterval = Duration.milliseconds(100)

  /// How long a request may take before its client gets 504; zero means for ever.
  var requestTimeout = Duration.zero

  /// How many MHD daemons share the port.
  var lanes = 1

  /// The stack of a worker, in bytes.
  var stackSize = 512 << 10

  /// The most connections at once.
  var maxConnections = 10_000

  /// The most connections at once from one address; 0 means no limit of its own.
  var maxConnectionsPerIP = 0

  /// The longest request body, in bytes; beyond it the client gets 413.
  var maxBody = 1 << 20

  /// The longest request head, in bytes; beyond it the client gets 431.
  var maxHeader = 14 << 10

  /// How long a connection may be quiet before it is closed; zero means for ever.
  var connectionTimeout = Duration.seconds(60)

  /// How long requests may take to finish once the server is told to stop.
  var drainTimeout = Duration.seconds(30)

  /// The folder served at `/`; nil means the pages inside the executable.
  var publicFolder: String?

  /// Whether the lab routes are there; nil means when the address is loopback.
  var lab: Bool?

  /// The least important messages that are still written.
  var logLevel = LogLevel.info
}

/// How important a log message is, least first.
enum LogLevel: String, CaseIterable, Comparable, Sendable {
  case debug, info, warning, error

  /// The place in the order.
  private var rank: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .warning: 2
    case .error: 3
    }
  }

  static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
}
