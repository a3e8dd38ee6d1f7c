/// Something that one part of a thread's work tells the others, at a time that suits the run loop.
///
/// The idea is that of Foundation's notification queues. A value: may be used from any thread.
public struct LoopNotification: Hashable, Sendable {
  /// What has happened.
  public let name: String
  /// To what: a number that poster and observers agree on. Default 0.
  public let token: UInt64

  /// Makes a notification. May be called from any thread.
  public init(_ name: String, token: UInt64 = 0) {
    self.name = name
    self.token = token
  }

  /// When a notification is delivered. May be used from any thread.
  public enum Delivery: Hashable, Sendable {
    /// Before the call that posts it returns.
    case now
    /// At the next turn of the loop, before it looks at its sources' next work.
    case asap
    /// When the loop has nothing else to do and would go to sleep.
    case whenIdle
  }

  /// Which notifications that wait already make a new one superfluous, or are dropped for one that is
  /// delivered now. A value: may be used from any thread.
  public struct Coalescing: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Makes a set from its bits. May be called from any thread.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Those of the same name.
    public static let onName = Coalescing(rawValue: 1)
    /// Those with the same token.
    public static let onToken = Coalescing(rawValue: 2)
  }

  func isLike(_ other: LoopNotification, _ coalescing: Coalescing) -> Bool {
    if coalescing.isEmpty { return false }
    return (!coalescing.contains(.onName) || name == other.name)
      && (!coalescing.contains(.onToken) || token == other.token)
  }
}

/// The notifications of one loop that wait, and who wants to hear of them. The loop's thread only.
struct NotificationQueue {
  private(set) var waitingForTurn: [LoopNotification] = []
  private(set) var waitingForIdle: [LoopNotification] = []
  private var observers: [(number: UInt64, name: String, handler: @Sendable (LoopNotification) -> Void)] = []
  private var nextNumber: UInt64 = 0

  mutating func observe(_ name: String, _ handler: @escaping @Sendable (LoopNotification) -> Void) -> UInt64 {
    nextNumber += 1
    observers.append((nextNumber, name, handler))
    return nextNumber
  }

  mutating func removeObserver(_ number: UInt64) { observers.removeAll { $0.number == number } }

  func handlers(for notification: LoopNotification) -> [@Sendable (LoopNotification) -> Void] {
    observers.filter { $0.name == notification.name }.map(\.handler)
  }

  /// Puts a notification in, unless one like it waits in the same queue.
  mutating func enqueue(
    _ notification: LoopNotification, whenIdle: Bool, _ coalescing: LoopNotification.Coalescing
  ) {
    let queue = whenIdle ? waitingForIdle : waitingForTurn
    if queue.contains(where: { $0.isLike(notification, coalescing) }) { return }
    if whenIdle { waitingForIdle.append(notification) } else { waitingForTurn.append(notification) }
  }

  /// Drops what waits and is like a notification that is delivered now.
  mutating func dequeue(_ notification: LoopNotification, _ coalescing: LoopNotification.Coalescing) {
    waitingForTurn.removeAll { $0.isLike(notification, coalescing) }
    waitingForIdle.removeAll { $0.isLike(notification, coalescing) }
  }

  mutating func takeForTurn() -> [LoopNotification] {
    defer { waitingForTurn = [] }
    return waitingForTurn
  }

  mutating func takeForIdle() -> [LoopNotification] {
    defer { waitingForIdle = [] }
    return waitingForIdle
  }
}
