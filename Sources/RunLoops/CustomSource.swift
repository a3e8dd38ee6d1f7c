import Synchronization

/// An input source that is signalled by hand, from any thread, and handled on the loop's.
///
/// Signals coalesce: however often it was signalled since it was last handled, it is handled once; nothing
/// that happened before a signal is missed by the handling that follows. One that is never signalled keeps a
/// loop from finding that it has nothing to watch. Belongs to one loop at a time, in any number of its modes.
public final class CustomSource: Sendable {
  /// A name for people. May be read from any thread.
  public let name: String
  let perform: @Sendable () -> Void
  let binding = ItemBinding()
  private let signalled = Atomic<Bool>(false)

  /// Makes a source; add it to a loop with ``ThreadRunLoop/add(_:to:)``. May be called from any thread.
  /// - Parameters:
  ///   - name: for people
  ///   - perform: called on the loop's thread, in a mode that the source was added to, after a signal
  public init(_ name: String, perform: @escaping @Sendable () -> Void) {
    self.name = name
    self.perform = perform
  }

  /// Asks for the source to be handled, and wakes the loop. Before the source is added to a loop the signal
  /// is kept. May be called from any thread.
  public func signal() {
    // A read-modify-write even where it changes nothing: it is what orders the caller's work before the
    // handling.
    if signalled.exchange(true, ordering: .acquiringAndReleasing) { return }
    binding.post(.signal(self))
  }

  /// Removes the source from its loop for good. On another thread than the loop's a call of the handler may
  /// still be under way when this returns, but none begins afterwards. May be called from any thread.
  public func invalidate() {
    if binding.invalidate() { binding.change { [self] in $0.detach(self) } }
  }

  /// Whether ``invalidate()`` has not been called. May be read from any thread.
  public var isValid: Bool { binding.isValid }

  /// Whether a signal waits to be handled.
  var isSignalled: Bool { signalled.load(ordering: .acquiring) }

  /// Takes the signal, if there is one; what comes later is a new one.
  func takeSignal() -> Bool { signalled.exchange(false, ordering: .acquiringAndReleasing) }
}
