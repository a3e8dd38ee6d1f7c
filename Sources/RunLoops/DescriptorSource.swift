import CPlatform
import Synchronization

/// What may be ready on a descriptor: as in epoll. A value: may be used from any thread.
public struct DescriptorEvents: OptionSet, Hashable, Sendable {
  /// The bits, as epoll has them, with ``invalid`` beyond.
  public let rawValue: UInt32

  /// Makes a set from its bits. May be called from any thread.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// There is something to read, or the other side has closed.
  public static let readable = DescriptorEvents(rawValue: EPOLLIN.rawValue)
  /// Something can be written.
  public static let writable = DescriptorEvents(rawValue: EPOLLOUT.rawValue)
  /// Urgent data.
  public static let urgent = DescriptorEvents(rawValue: EPOLLPRI.rawValue)
  /// The other side of a socket will send no more.
  public static let peerClosed = DescriptorEvents(rawValue: EPOLLRDHUP.rawValue)
  /// The connection is gone. Reported whether it is asked for or not.
  public static let hangUp = DescriptorEvents(rawValue: EPOLLHUP.rawValue)
  /// The descriptor has failed. Reported whether it is asked for or not.
  public static let error = DescriptorEvents(rawValue: EPOLLERR.rawValue)
  /// The descriptor could not be watched: it is not open, is of a kind that has no readiness (a plain file),
  /// is watched by another source of the mode, or the system has no more to give. Reported once, whether it
  /// is asked for or not; the source is invalid then. The idea is `POLLNVAL` of poll(2).
  public static let invalid = DescriptorEvents(rawValue: 1 << 27)
}

/// An input source that is handled when a descriptor is ready: level-triggered, so as long as it is ready.
///
/// The source does not own the descriptor. It must be removed from its loop before the descriptor is closed,
/// on the loop's thread or by ``ThreadRunLoop/performAndWait(inModes:_:)``. One descriptor can have one
/// source in a mode. In a run that is nested inside its handler the source is not handled again. Belongs to
/// one loop at a time, in any number of its modes.
public final class DescriptorSource: Sendable {
  /// The descriptor. May be read from any thread.
  public let descriptor: Int32

  /// What is waited for. May be read from any thread.
  public let events: DescriptorEvents
  let handler: @Sendable (DescriptorEvents) -> Void
  let binding = ItemBinding()
  /// Whether the handler is on the stack. Of use on the loop's thread only; atomic because the object is
  /// Sendable.
  private let handling = Atomic<Bool>(false)

  /// Makes a source; add it to a loop with ``ThreadRunLoop/add(_:to:)``. May be called from any thread.
  /// - Parameters:
  ///   - descriptor: stays the caller's
  ///   - events: what to wait for
  ///   - handler: called on the loop's thread with what is ready
  public init(
    descriptor: Int32, events: DescriptorEvents, handler: @escaping @Sendable (DescriptorEvents) -> Void
  ) {
    self.descriptor = descriptor
    self.events = events
    self.handler = handler
  }

  /// Removes the source from its loop for good. On another thread than the loop's the descriptor may be
  /// watched, and a call of the handler be under way, when this returns. May be called from any thread.
  public func invalidate() {
    if binding.invalidate() { binding.change { [self] in $0.detach(self) } }
  }

  /// Whether ``invalidate()`` has not been called, and the descriptor could be watched. May be read from any
  /// thread.
  public var isValid: Bool { binding.isValid }

  // MARK: The loop's thread

  var isHandling: Bool { handling.load(ordering: .relaxed) }

  /// False: the handler is on the stack already.
  func beginHandling() -> Bool {
    if isHandling { return false }
    handling.store(true, ordering: .relaxed)
    return true
  }

  func endHandling() { handling.store(false, ordering: .relaxed) }
}
