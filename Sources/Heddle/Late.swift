import HTTPMessages
import Locks

/// A value that is made after those who will ask for it.
final class Late<Value: Sendable>: Sendable {
  private let value = Locked<Value?>("server.late", nil)

  func set(_ new: Value) { value.withLock { $0 = new } }

  /// Forgets the value. What it refers to may refer back to those who ask for it: that ring is opened here.
  func clear() { value.withLock { $0 = nil } }

  /// The value. Throws 503 while it is not there yet.
  func get() throws -> Value {
    guard let value = value.withLock({ $0 }) else { throw HTTPError(.serviceUnavailable, "the server is starting") }
    return value
  }
}
