import Heddle

/// `heddle serve`: the lab routes and the dashboard, on the server that the library gives to everybody.
enum Serve {
  /// Serves until a signal ends it. Returns how the process is to exit.
  static func run(_ options: ServeOptions) -> ExitCode {
    let log = Log(level: options.logLevel.level)
    if let problem = options.publicFolderProblem() {
      StandardError.write(problem)
      return .usage
    }
    var router = Router()
    if options.labIsOn { LabRoutes.add(to: &router) }
    do {
      let server = try Server(router: router, configuration: configuration(options, log: log))
      switch try server.run(whenUp: { log(.info, startLine(server, options)) }) {
      case .drained:
        log(.info, "drained")
        return .success
      case .stuck(let workers):
        log(.error, "the drain gave up on \(workers.count) stuck handler(s): \(workers.joined(separator: ", "))")
        return .drainGaveUp
      }
    } catch let error as ListenError {
      StandardError.write("heddle: \(error); --host and --port choose another address")
      return .cannotBind
    } catch {
      StandardError.write("heddle: \(error)")
      return .internalError
    }
  }

  /// The library's settings for what the command line says.
  static func configuration(_ options: ServeOptions, log: Log) -> ServerConfiguration {
    var http = HTTPConfiguration(host: options.host, port: options.port)
    http.lanes = options.lanes
    http.maxConnections = options.maxConnections
    http.maxConnectionsPerAddress = options.maxConnectionsPerIP
    http.maxBodyBytes = options.maxBody
    http.maxHeaderBytes = options.maxHeader
    http.connectionTimeout = options.connectionTimeout
    http.requestTimeout = options.requestTimeout
    http.drainTimeout = options.drainTimeout
    var pool = PoolConfiguration(
      limits: PoolLimits(
        minThreads: options.effectiveMinThreads(cores: PoolLimits.cores), maxThreads: options.maxThreads,
        idleTimeout: options.idleTimeout))
    pool.queueLimit = options.queueLimit
    pool.queueDeadline = options.queueDeadline
    pool.shedTarget = options.shedTarget
    pool.shedInterval = options.shedInterval
    pool.stackSize = options.stackSize
    var configuration = ServerConfiguration(http: http, pool: pool)
    configuration.log = log
    if let folder = options.publicFolder { configuration.pages = .folder(folder) }
    return configuration
  }

  /// The one line that says where it listens and how it is set.
  private static func startLine(_ server: Server, _ options: ServeOptions) -> String {
    let (http, pool) = (server.configuration.http, server.configuration.pool)
    let limits = pool.limits
    return "\(HelpText.version) listening on \(server.url) "
      + "(pid \(ProcessID.current), threads \(limits.minThreads)–\(limits.maxThreads), idle timeout \(ValueText.text(ofDuration: limits.idleTimeout)), "
      + "queue \(pool.queueLimit), lanes \(http.lanes), lab \(options.labIsOn ? "on" : "off"))"
  }
}

extension LogLevel {
  /// The library's level of the same name.
  fileprivate var level: Log.Level {
    switch self {
    case .debug: .debug
    case .info: .info
    case .warning: .warning
    case .error: .error
    }
  }
}
