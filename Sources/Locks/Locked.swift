/// A value that can be reached only while its lock is held.
///
/// The usual way to keep state that several threads share: forgetting to lock does not compile. The idea is that of
/// Rust's `std::sync::Mutex<T>` and of `Synchronization.Mutex`; the lock is a ``Lock``, so it has a name and figures.
public final class Locked<Value: ~Copyable>: @unchecked Sendable {
  // Unchecked: `storage` is reached only with `lock` held, and its memory lives exactly as long as the object.

  /// The lock that guards the value: for a ``Condition`` that is waited for inside ``withLock(_:)``.
  @usableFromInline package let lock: Lock

  // Memory of its own: an inline property would be checked for exclusive access at run time on every use, and the lock
  // gives that already.
  @usableFromInline let storage: UnsafeMutablePointer<Value>

  /// Makes a guarded value. May be called from any thread.
  /// - Parameters:
  ///   - name: the name of the lock in the statistics; see ``Lock/init(_:)``
  ///   - value: the first value
  public init(_ name: String, _ value: consuming sending Value) {
    lock = Lock(name)
    storage = .allocate(capacity: 1)
    storage.initialize(to: value)
  }

  deinit {
    storage.deinitialize(count: 1)
    storage.deallocate()
  }

  /// Locks, hands the value to `body`, unlocks, and returns what `body` returned or throws what it threw.
  ///
  /// Calling it again from inside `body` on the same object ends the process with a message that names the lock.
  /// May be called from any thread.
  @inlinable
  public func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&storage.pointee)
  }

  /// As ``withLock(_:)``, if the lock is free now; otherwise returns nil at once without calling `body`.
  /// May be called from any thread.
  @inlinable
  public func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? {
    guard lock.tryLock() else { return nil }
    defer { lock.unlock() }
    return try body(&storage.pointee)
  }
}
