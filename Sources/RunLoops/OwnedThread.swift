import CPlatform
import Glibc
import Locks
import Synchronization

/// A thread with a name, a stack of its own size, thread-local values, hooks, and an end that can be waited
/// for.
///
/// It runs its body with all signals blocked but those that a fault raises, so that the process's signals go
/// to the threads that ask for them. The object lives at least as long as the thread. All members may be used
/// from any thread unless they say otherwise.
public final class OwnedThread: @unchecked Sendable {
  // Unchecked: `locals` is a plain dictionary, but is reached on the thread itself alone, which its subscript
  // checks. All else is constant or atomic.

  /// The name as the kernel keeps it: at most 15 bytes.
  public let name: String

  /// Bytes of stack that the thread can use, in whole pages.
  public let stackSize: Int

  /// Whether the thread is to be joined.
  public let isJoinable: Bool

  /// The thread-local values. This thread only.
  var locals: [Int: Any] = [:]

  let kernelID = Atomic<Int32>(0)
  let nicenessErrno = Atomic<Int32>(0)
  let finished = Atomic<Bool>(false)
  private let handle = Atomic<UInt>(0)
  private let joined = Atomic<Bool>(false)
  private let cancelled = Atomic<Bool>(false)

  private init(_ options: ThreadOptions) {
    name = options.name
    stackSize = options.stackSize
    isJoinable = options.isJoinable
  }

  deinit {
    // Nobody joined it and nobody can any more: let the system take its remains back.
    let handle = handle.load(ordering: .acquiring)
    if isJoinable, handle != 0, !joined.load(ordering: .acquiring) { pthread_detach(handle) }
  }

  /// Starts a thread that runs `body` and then ends.
  ///
  /// On the new thread come, in this order: start hooks, `body`, end hooks, destruction of the thread-local
  /// values, end of the thread's run loop, ``isFinished``. May be called from any thread. Costs about 15 µs.
  /// - Parameters:
  ///   - options: see ``ThreadOptions``
  ///   - body: released on the new thread before the end hooks
  /// - Throws: ``ThreadError`` if the options are not acceptable or the system has no more threads to give.
  public static func start(
    _ options: ThreadOptions, _ body: @escaping @Sendable () -> Void
  ) throws(ThreadError) -> OwnedThread {
    let options = try options.validated()
    let thread = OwnedThread(options)
    let errno = ThreadEntry(thread: thread, options: options, body: body).launch()
    guard errno == 0 else {
      throw ThreadError(code: .resourcesExhausted(errno: errno), threadName: options.name)
    }
    return thread
  }

  /// Called by the creator and by the thread itself, whichever comes first: both know the same value.
  func setHandle(_ handle: UInt) { self.handle.store(handle, ordering: .releasing) }

  /// Waits until the thread has ended and the system has taken it back. Once, and not on the thread itself; a
  /// thread that is not joinable cannot be waited for. Breach of these ends the process with a message. May
  /// be called from any other thread.
  public func join() {
    precondition(isJoinable, "Thread \"\(name)\" is joined, but it was started as not joinable")
    precondition(OwnedThread.current !== self, "Thread \"\(name)\" joins itself")
    let again = joined.exchange(true, ordering: .acquiringAndReleasing)
    precondition(!again, "Thread \"\(name)\" is joined twice")
    let result = pthread_join(handle.load(ordering: .acquiring), nil)
    precondition(result == 0, "Joining thread \"\(name)\" failed with error \(result)")
  }

  /// The thread that calls, if it is an owned one; nil on the main thread and on threads that others made.
  public static var current: OwnedThread? {
    guard let pointer = heddle_tls_get(HEDDLE_TLS_THREAD) else { return nil }
    return Unmanaged<OwnedThread>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// The kernel's id of the thread. 0 until the thread has begun to run, which may be later than
  /// ``start(_:_:)`` returns; keeps its value after the end, when the kernel may give it to another thread.
  public var tid: Int32 { kernelID.load(ordering: .acquiring) }

  /// Whether the thread has done all its work; the system may still be taking it down. ``join()`` waits for
  /// that too.
  public var isFinished: Bool { finished.load(ordering: .acquiring) }

  /// The error number of setting ``ThreadOptions/niceness``, 0 if that went well or was not asked for. Known
  /// once ``tid`` is.
  public var nicenessError: Int32 { nicenessErrno.load(ordering: .acquiring) }

  /// Asks the thread to end soon. It only sets a flag: the body must look at ``isCancelled``.
  public func cancel() { cancelled.store(true, ordering: .releasing) }

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
}
