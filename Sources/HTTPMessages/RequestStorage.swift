import Synchronization

/// The memory of one request, made to be used again for the next: head bytes, a table of fields, the body.
///
/// One owner (the server's leader) fills it, then hands it out inside a `Request`. From then on it is read-only, but for
/// the atomic cancel flag. The owner may call `reset()` only when no `Request` refers to it any more, which
/// `isKnownUniquelyReferenced` tells: a handler is free to keep its request.
///
/// Pointers that it gives out are valid until the next call that adds bytes, and until `reset()`.
///
/// Unchecked because of `state`, a plain pointer: written by one owner before the hand-over, whose lock orders the
/// writes before every later read; only read afterwards.
package final class RequestStorage: @unchecked Sendable {
  let state: UnsafeMutablePointer<RequestState>
  private let cancelFlag = Atomic<Bool>(false)

  /// Memory for the head that `reset()` keeps.
  package static let headBound = 32 * 1024
  /// Memory for the body that `reset()` keeps.
  package static let bodyBound = 64 * 1024

  /// An empty `GET` without target.
  package init() {
    state = .allocate(capacity: 1)
    state.initialize(to: RequestState())
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// What its owner fills and looks at, without the object around it. Valid while this object is.
  package var head: RequestHead { RequestHead(state: state) }

  /// Forgets everything. Memory up to 32 KiB of head and 64 KiB of body is kept.
  package func reset() {
    head.reset()
    cancelFlag.store(false, ordering: .relaxed)
  }

  /// The number from which the request's id is written.
  package var id: UInt64 {
    get { state.pointee.id }
    set { state.pointee.id = newValue }
  }

  /// The id as text: 16 hexadecimal digits.
  package var idText: String { RequestID(id).description }

  /// When the request's head was complete: nanoseconds of the monotonic clock.
  package var receivedAt: Int64 {
    get { state.pointee.receivedAt }
    set { state.pointee.receivedAt = newValue }
  }

  /// Whether `cancel()` was called. May be called from any thread.
  package var isCancelled: Bool { cancelFlag.load(ordering: .acquiring) }

  /// Tells the handler to stop. May be called from any thread that holds a reference, but by the owner only while the
  /// request is the current one: a late call would cancel the next.
  package func cancel() { cancelFlag.store(true, ordering: .releasing) }

  /// Takes over the peer's `sockaddr`, whose text is made only when asked for.
  package func setPeer(_ address: UnsafeRawBufferPointer) { head.setPeer(address) }

  /// The peer's `sockaddr`, or no bytes.
  package var peerBytes: UnsafeRawBufferPointer { state.pointee.head[state.pointee.peer] }

  /// Makes room for a body of so many bytes in all, where the length is known before.
  package func reserveBody(_ count: Int) { head.reserveBody(count) }

  /// Appends bytes to the body.
  package func appendBody(_ bytes: UnsafeRawBufferPointer) { head.appendBody(bytes) }

  /// Length of the body so far.
  package var bodyCount: Int { state.pointee.body.count }

  /// The body so far.
  package var bodyBytes: UnsafeRawBufferPointer { state.pointee.body.bytes }
}
