// The one file of this module with functions that C calls. They are global and nonisolated: a closure formed
// in isolated code, such as a main file, would check its isolation on the other thread and trap there.

import CPlatform
import Glibc
import Interleavings
import Locks
import Synchronization

/// What a new thread is born with.
final class ThreadEntry: @unchecked Sendable {
  // Unchecked: `body` is written by the thread itself alone, after the creator has handed the object over.
  private let thread: OwnedThread
  private let options: ThreadOptions
  private var body: (@Sendable () -> Void)?
  private let order = Interleaving.Inheritance()

  init(thread: OwnedThread, options: ThreadOptions, body: @escaping @Sendable () -> Void) {
    self.thread = thread
    self.options = options
    self.body = body
  }

  /// Makes the thread; returns 0 or an error number.
  func launch() -> Int32 {
    let context = Unmanaged.passRetained(self)
    var handle = pthread_t()
    let errno = heddle_thread_create(
      &handle, options.stackSize, options.guardSize, !options.isJoinable, threadEntry, context.toOpaque())
    if errno == 0 {
      thread.setHandle(UInt(handle))
    } else {
      context.release()
      order.threadWasNotStarted()
    }
    return errno
  }

  fileprivate func run() -> Unmanaged<OwnedThread> {
    let held = Unmanaged.passRetained(thread)
    heddle_tls_set(HEDDLE_TLS_THREAD, held.toOpaque())
    thread.setHandle(UInt(pthread_self()))
    _ = thread.name.withCString { heddle_thread_set_name($0) }
    if let niceness = options.niceness {
      thread.nicenessErrno.store(heddle_thread_set_nice(heddle_tid(), Int32(niceness)), ordering: .relaxed)
    }
    ThreadRecord.setCurrentName(thread.name)
    thread.kernelID.store(heddle_tid(), ordering: .releasing)
    for hook in options.startHooks { hook() }
    order.run {
      body?()
      body = nil
    }
    for hook in options.endHooks { hook() }
    thread.destroyLocals()
    return held
  }
}

/// The first Swift code of a new thread.
private func threadEntry(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  // In a function of its own, so that all that the entry holds is released before the run loop ends.
  let thread = runEntry(context)
  ThreadRunLoop.endCurrent()
  heddle_tls_set(HEDDLE_TLS_THREAD, nil)
  thread._withUnsafeGuaranteedRef { $0.finished.store(true, ordering: .releasing) }
  thread.release()
  ThreadRecord.retire()
  return nil
}

@inline(never)
private func runEntry(_ context: UnsafeMutableRawPointer) -> Unmanaged<OwnedThread> {
  Unmanaged<ThreadEntry>.fromOpaque(context).takeRetainedValue().run()
}

/// Ends the run loop of a thread that this module did not make, as the C library takes the thread down.
private func endForeignLoop(_ loop: UnsafeMutableRawPointer?) {
  // By now the loop may have been ended by hand; it looks for itself in the thread's slot.
  ThreadRunLoop.endCurrent()
}

/// Sees to it that ``ThreadRunLoop/endCurrent()`` is called when the calling thread ends.
func endRunLoopWithForeignThread() {
  pthread_setspecific(foreignLoopKey, UnsafeMutableRawPointer(bitPattern: 1))
}

private let foreignLoopKey: pthread_key_t = {
  var key = pthread_key_t()
  let result = pthread_key_create(&key, endForeignLoop)
  precondition(result == 0, "pthread_key_create failed with error \(result)")
  return key
}()
