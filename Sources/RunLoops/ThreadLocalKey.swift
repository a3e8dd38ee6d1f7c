import Synchronization

/// A key to one thread-local value in the dictionary of an ``OwnedThread``, with the type of the value.
///
/// Make one key per purpose and keep it, in a `static let` for instance; each key stands for a different
/// value. The value need not be `Sendable`: no other thread can reach it. May be used from any thread.
public struct ThreadLocalKey<Value>: Hashable, Sendable {
  let number: Int

  /// Makes a key that is different from every other. May be called from any thread.
  public init() {
    number = ThreadLocalNumbers.next.wrappingAdd(1, ordering: .relaxed).newValue
  }
}

/// Apart from the key, because a generic type cannot hold a stored static.
private enum ThreadLocalNumbers {
  static let next = Atomic<Int>(0)
}

extension OwnedThread {
  /// The calling thread's own value for a key; nil if it has none. Only on the thread itself: from elsewhere
  /// the process ends with a message.
  ///
  /// The values live until the thread ends. They are destroyed on the thread, after its end hooks and before
  /// its run loop, in the order in which their keys were made; values that are put in meanwhile are destroyed
  /// too, for as many rounds as POSIX promises to thread-specific data (`PTHREAD_DESTRUCTOR_ITERATIONS`, 4).
  public subscript<Value>(key: ThreadLocalKey<Value>) -> Value? {
    get {
      preconditionOwn("read")
      return locals[key.number] as? Value
    }
    set {
      preconditionOwn("written")
      // The old value is destroyed only after the dictionary is at rest again: its deinit may come here.
      let old = locals[key.number]
      locals[key.number] = newValue
      withExtendedLifetime(old) {}
    }
  }

  private func preconditionOwn(_ use: String) {
    precondition(
      OwnedThread.current === self, "A thread-local value of thread \"\(name)\" is \(use) on another thread")
  }

  /// Destroys the thread-local values; called on the thread itself as it ends.
  func destroyLocals() {
    for _ in 0..<4 where !locals.isEmpty {
      var doomed = locals
      locals = [:]
      for key in doomed.keys.sorted() { doomed[key] = nil }
    }
  }
}
