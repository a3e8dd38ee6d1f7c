import CPlatform
import Glibc

/// Decides, for the threads that take part, which of them runs. Implemented by tests. Its functions are called on those threads.
public protocol InterleavingArbiter: AnyObject, Sendable {
  /// See ``Interleaving/reach(_:)``.
  func reach(_ place: Interleaving.Place)
  /// See ``Interleaving/note(_:)``.
  func note(_ event: Interleaving.Event)
  /// See ``Interleaving/chooses(_:)``.
  func chooses(_ choice: Interleaving.Choice) -> Bool
  /// See ``Interleaving/isWrong(_:)``.
  func isWrong(_ variant: Interleaving.Variant) -> Bool
  /// See ``Interleaving/willSleep()``.
  func willSleep()
  /// See ``Interleaving/hasWoken()``.
  func hasWoken()
  /// The thread is about to make one that will take part too.
  func willStartThread()
  /// That one could not be made.
  func threadWasNotStarted()
  /// The first thing that a new thread does.
  func threadStarts()
  /// The last.
  func threadEnds()
}

extension Interleaving {
  /// Whom the calling thread obeys.
  @usableFromInline static var arbiter: (any InterleavingArbiter)? {
    guard let pointer = heddle_tls_get(HEDDLE_TLS_ORDER) else { return nil }
    return Unmanaged<Holder>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.arbiter }
  }

  /// Takes nothing of what is ready.
  @usableFromInline static func waitUntilReadable(_ descriptor: Int32, _ milliseconds: Int32) {
    var look = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&look, 1, milliseconds)
  }

  /// Keeps an arbiter behind one pointer.
  private final class Holder {
    let arbiter: any InterleavingArbiter
    init(_ arbiter: any InterleavingArbiter) { self.arbiter = arbiter }
  }

  /// Calls `body` with the calling thread, and all threads that it starts meanwhile, under an arbiter. The thread itself is told
  /// nothing but events and questions, unless the arbiter knows it.
  public static func with<Result>(_ arbiter: any InterleavingArbiter, _ body: () throws -> Result) rethrows -> Result {
    let outer = heddle_tls_get(HEDDLE_TLS_ORDER)
    let holder = Unmanaged.passRetained(Holder(arbiter))
    heddle_tls_set(HEDDLE_TLS_ORDER, holder.toOpaque())
    defer {
      heddle_tls_set(HEDDLE_TLS_ORDER, outer)
      holder.release()
    }
    return try body()
  }

  /// What a new thread takes over from the one that starts it. In a release build: nothing.
  @frozen public struct Inheritance: Sendable {
    #if DEBUG
      @usableFromInline let arbiter: (any InterleavingArbiter)?
    #endif

    /// On the thread that starts another.
    @inlinable @inline(__always)
    public init() {
      #if DEBUG
        arbiter = Interleaving.arbiter
        arbiter?.willStartThread()
      #endif
    }

    /// The thread could not be started.
    @inlinable @inline(__always)
    public func threadWasNotStarted() {
      #if DEBUG
        arbiter?.threadWasNotStarted()
      #endif
    }

    /// On the new thread: runs its body under the same arbiter.
    @inlinable @inline(__always)
    public func run(_ body: () -> Void) {
      #if DEBUG
        guard let arbiter else { return body() }
        Interleaving.with(arbiter) {
          arbiter.threadStarts()
          body()
          arbiter.threadEnds()
        }
      #else
        body()
      #endif
    }
  }
}
