/// Options that `--help` shows under one heading.
struct ServeOptionSection: Sendable {
  /// The heading.
  var title: String

  /// The options, in the order they are shown.
  var options: [ServeOption]
}

/// Every option of `heddle serve`, once.
extension ServeOption {
  /// The options under their headings.
  static let sections = [
    ServeOptionSection(title: "Listening", options: listening),
    ServeOptionSection(title: "Threads and queue", options: threads),
    ServeOptionSection(title: "Limits", options: limits),
    ServeOptionSection(title: "Pages and log", options: pages),
  ]

  /// All options.
  static let all = sections.flatMap(\.options)

  private static let listening: [ServeOption] = [
    ServeOption(
      name: "host", form: .value("ADDRESS"), defaultText: ServeOptions().host,
      help: "address to listen on; 0.0.0.0 or :: for all"
    ) { (options, text) throws(ValueProblem) in
      // Brackets are how IPv6 addresses are written in URLs, and so how they get pasted.
      let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
      let host = isBracketed ? String(text.dropFirst().dropLast()) : text
      guard (1...253).contains(host.utf8.count), host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw ValueProblem(allowed: "allowed: an address or a host name")
      }
      options.host = host
    },
    ServeOption(
      name: "port", form: .value("N"), defaultText: "\(ServeOptions().port)",
      help: "TCP port; 0 picks a free one"
    ) { (options, text) throws(ValueProblem) in
      options.port = UInt16(try number(text, 0...65_535))
    },
    .integer(
      "lanes", \.lanes, 1...64, help: "event loops that share the port; each takes one thread as its leader"),
  ]

  private static let threads: [ServeOption] = [
    ServeOption(
      name: "min-threads", form: .value("N"), defaultText: "cores, at least lanes + 1",
      help: "workers kept even when idle; at least lanes + 1"
    ) { (options, text) throws(ValueProblem) in
      options.minThreads = try number(text, 2...10_000)
    },
    .integer("max-threads", \.maxThreads, 2...10_000, help: "most workers at once; at least lanes + 1"),
    .duration(
      "idle-timeout", \.idleTimeout, .milliseconds(10) ... .seconds(86_400),
      help: "after which an idle worker above the minimum ends"),
    .integer("queue-limit", \.queueLimit, 1...1_000_000, help: "waiting requests; beyond: 503"),
    .duration(
      "queue-deadline", \.queueDeadline, .milliseconds(1) ... .seconds(3600), zero: "off",
      help: "longest wait before a request gets 503; 0: off"),
    .duration(
      "shed-target", \.shedTarget, .milliseconds(1) ... .seconds(60), zero: "off",
      help: "wait that is tolerated under overload; some of those beyond get 503; 0: off"),
    .duration(
      "shed-interval", \.shedInterval, .milliseconds(10) ... .seconds(600),
      help: "how long waits must have been beyond it; at least the target"),
    .duration(
      "request-timeout", \.requestTimeout, .milliseconds(1) ... .seconds(86_400), zero: "off",
      help: "after which the client gets 504 and the handler is told to stop; 0: off"),
    .size("stack-size", \.stackSize, (128 << 10)...(1 << 30), help: "stack of a worker"),
  ]

  private static let limits: [ServeOption] = [
    .integer("max-connections", \.maxConnections, 1...1_000_000, help: "most connections at once"),
    .integer(
      "max-connections-per-ip", \.maxConnectionsPerIP, 1...1_000_000, zero: "off",
      help: "most connections at once from one address; 0: no limit"),
    .size("max-body", \.maxBody, 0...(1 << 30), help: "longest request body; beyond: 413"),
    .size("max-header", \.maxHeader, (1 << 10)...(64 << 10), help: "longest request head; beyond: 431"),
    .duration(
      "connection-timeout", \.connectionTimeout, .milliseconds(100) ... .seconds(86_400), zero: "off",
      help: "after which a quiet connection is closed; 0: never"),
    .duration(
      "drain-timeout", \.drainTimeout, .zero ... .seconds(3600),
      help: "time for requests to finish after SIGTERM"),
  ]

  private static let pages: [ServeOption] = [
    ServeOption(
      name: "public", form: .value("FOLDER"), defaultText: "embedded pages",
      help: "folder to serve at / instead"
    ) { (options, text) throws(ValueProblem) in
      guard !text.isEmpty, !text.utf8.contains(0) else { throw ValueProblem(allowed: "allowed: a folder") }
      options.publicFolder = text
    },
    ServeOption(
      name: "lab", form: .toggle, defaultText: "on when the address is loopback",
      help: "routes to load-test and to break; HEDDLE_LAB=on or off"
    ) { (options, text) throws(ValueProblem) in
      switch text {
      case "on", "true", "yes", "1": options.lab = true
      case "off", "false", "no", "0": options.lab = false
      default: throw ValueProblem(allowed: "allowed: on, off")
      }
    },
    ServeOption(
      name: "log-level", form: .value("LEVEL"), defaultText: ServeOptions().logLevel.rawValue,
      help: "least important messages to write: " + levelNames
    ) { (options, text) throws(ValueProblem) in
      guard let level = LogLevel(rawValue: text) else {
        throw ValueProblem(allowed: "allowed: " + levelNames)
      }
      options.logLevel = level
    },
  ]

  private static let levelNames = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
}
