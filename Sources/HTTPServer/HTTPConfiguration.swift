/// Where a server listens, and what it lets clients do.
public struct HTTPConfiguration: Sendable {
  /// The address to listen on: an IPv4 or IPv6 address, or a name that resolves to one. Default 127.0.0.1.
  public var host: String

  /// The port. 0 picks a free one. Default 8080.
  public var port: UInt16

  /// How many lanes share the port. Default 1: on few cores a second one costs more than it brings (docs/performance.md).
  public var lanes = 1

  /// Connections that the kernel keeps until they are accepted. Default 1024; `net.core.somaxconn` may lower it.
  public var backlog: Int32 = 1024

  /// The most connections at once; further clients wait unaccepted. Default 10,000.
  public var maxConnections = 10_000

  /// The most connections from one address; 0: no such limit, the default. Further ones are closed at once.
  public var maxConnectionsPerAddress = 0

  /// The most bytes of a request's body, unless its route says otherwise. Default 1 MiB. Beyond: 413.
  public var maxBodyBytes = 1024 * 1024

  /// The most bytes of a request's head. Default 14 KiB. Beyond: 431.
  ///
  /// libmicrohttpd clears its memory of a connection after every request, so a larger limit makes every request dearer.
  public var maxHeaderBytes = 14 * 1024

  /// The most bytes of a request's target. Default 8 KiB. Beyond: 414.
  public var maxTargetBytes = 8 * 1024

  /// How long a connection may be silent, between requests or within one; default 60 s, zero: for ever.
  ///
  /// What counts is a whole head, a piece of a body, and that an answer is taken: the bytes of a head do not, so a head must come within
  /// this time of the connection's last request. A client that takes nothing of its answer is closed after one to two times as long. While
  /// a request is served nobody waits for its client.
  public var connectionTimeout: Duration = .seconds(60)

  /// How long a request may take, from its last byte to its finished answer, unless its route says otherwise: then the client gets
  /// 504, the handler is told (`Request.isCancelled`), and its result is dropped. Default zero: for ever.
  public var requestTimeout: Duration = .zero

  /// How long a drain waits for requests that run, before they are answered with 503. Default 30 s.
  public var drainTimeout: Duration = .seconds(30)

  /// A body that is refused is read to its end up to this size, so that the client sees the answer rather than a reset.
  package var swallowLimit = 8 * 1024 * 1024

  /// A configuration with every setting at its default but those named.
  public init(host: String = "127.0.0.1", port: UInt16 = 8080) {
    self.host = host
    self.port = port
  }

  /// libmicrohttpd's memory per connection: the head, and about 2 KiB for what it adds to it and for the head of the answer.
  var connectionMemory: Int { maxHeaderBytes + 2048 }

  /// The share of one lane in the connections.
  var connectionsPerLane: Int { max(1, (maxConnections + lanes - 1) / lanes) }

  /// Why a server cannot be made with these settings, or nil if it can.
  public var problem: String? {
    if !(1...64).contains(lanes) { return "lanes is \(lanes), but must be from 1 to 64" }
    if maxConnections < 1 { return "maxConnections is \(maxConnections), but must be at least 1" }
    if maxBodyBytes < 0 { return "maxBodyBytes is \(maxBodyBytes), but must be at least 0" }
    if !(1024...1024 * 1024).contains(maxHeaderBytes) {
      return "maxHeaderBytes is \(maxHeaderBytes), but must be from 1024 to 1048576"
    }
    return nil
  }
}
