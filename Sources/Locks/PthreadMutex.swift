// The one file that names pthread mutexes and condition variables. Everything above it is written in terms of these two.
//
// Not `Synchronization.Mutex`: under contention on Linux it costs a hundred times what a pthread mutex costs
// (swiftlang/swift issue 88440), and ThreadSanitizer does not understand it.

import CPlatform
import Glibc

/// Declared here because the C library's headers show it only under `_GNU_SOURCE`, which the `Glibc` module does not set.
/// The alternative that they do show, `pthread_mutex_timedlock`, goes by the wall clock. Pointers and an integer are
/// passed alike in Swift's and in C's calling convention, on x86-64 and on arm64.
@_silgen_name("pthread_mutex_clocklock")
private func pthread_mutex_clocklock(
  _ mutex: UnsafeMutablePointer<pthread_mutex_t>, _ clock: clockid_t, _ deadline: UnsafePointer<timespec>
) -> Int32

/// A bare, uninstrumented mutex at a fixed address. Whoever makes one also destroys it.
struct PthreadMutex {
  /// How many bytes one takes, for those who place it in memory of their own.
  static var size: Int { MemoryLayout<pthread_mutex_t>.size }

  private let raw: UnsafeMutablePointer<pthread_mutex_t>

  /// Initializes a mutex in memory that is aligned for `pthread_mutex_t` and has room for ``size`` bytes.
  init(at memory: UnsafeMutableRawPointer) {
    raw = memory.bindMemory(to: pthread_mutex_t.self, capacity: 1)
    let result = pthread_mutex_init(raw, nil)
    precondition(result == 0, "pthread_mutex_init failed with error \(result)")
  }

  /// A mutex in memory of its own, that lives as long as the process.
  static func immortal() -> PthreadMutex {
    PthreadMutex(at: .allocate(byteCount: size, alignment: 64))
  }

  /// Nobody holds it and nobody will ask for it again.
  func destroy() {
    let result = pthread_mutex_destroy(raw)
    precondition(result == 0, "pthread_mutex_destroy failed with error \(result)")
  }

  @inline(__always) func tryLock() -> Bool { pthread_mutex_trylock(raw) == 0 }

  @inline(__always) func lock() { pthread_mutex_lock(raw) }

  @inline(__always) func unlock() { pthread_mutex_unlock(raw) }

  /// Locks, or gives up when the deadline has passed. A free mutex is taken even if the deadline is in the past.
  func lock(before deadline: Deadline) -> Bool {
    if deadline == .distantFuture {
      pthread_mutex_lock(raw)
      return true
    }
    var time = timespec(deadline)
    return pthread_mutex_clocklock(raw, CLOCK_MONOTONIC, &time) == 0
  }

  func withLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }

  fileprivate func wait(on condition: UnsafeMutablePointer<pthread_cond_t>) {
    pthread_cond_wait(condition, raw)
  }

  fileprivate func wait(
    on condition: UnsafeMutablePointer<pthread_cond_t>, until time: inout timespec
  ) -> Int32 {
    pthread_cond_timedwait(condition, raw, &time)
  }
}

/// A bare condition variable at a fixed address, on the monotonic clock. Whoever makes one also destroys it.
struct PthreadCondition {
  /// How many bytes one takes, for those who place it in memory of their own.
  static var size: Int { MemoryLayout<pthread_cond_t>.size }

  private let raw: UnsafeMutablePointer<pthread_cond_t>

  /// Initializes a condition variable in memory that is aligned for `pthread_cond_t` and has room for ``size`` bytes.
  init(at memory: UnsafeMutableRawPointer) {
    raw = memory.bindMemory(to: pthread_cond_t.self, capacity: 1)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    defer { pthread_condattr_destroy(&attributes) }
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    let result = pthread_cond_init(raw, &attributes)
    precondition(result == 0, "pthread_cond_init failed with error \(result)")
  }

  func destroy() { pthread_cond_destroy(raw) }

  func signal() { pthread_cond_signal(raw) }

  func broadcast() { pthread_cond_broadcast(raw) }

  /// Releases the mutex, waits, takes the mutex again. False: the deadline passed first. May also wake for no reason.
  func wait(releasing mutex: PthreadMutex, until deadline: Deadline) -> Bool {
    if deadline == .distantFuture {
      mutex.wait(on: raw)
      return true
    }
    var time = timespec(deadline)
    return mutex.wait(on: raw, until: &time) != ETIMEDOUT
  }
}

extension timespec {
  /// Moments before the clock began are the clock's beginning: the calls reject a negative time.
  fileprivate init(_ deadline: Deadline) {
    let nanoseconds = Swift.max(deadline.nanoseconds, 0)
    self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
