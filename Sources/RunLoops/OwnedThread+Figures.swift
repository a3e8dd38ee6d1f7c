import CPlatform
import Glibc

extension OwnedThread {
  /// CPU time that the thread has used so far, in nanoseconds; nil before it runs and after it has ended.
  ///
  /// One system call. Needs no lock against the end of the thread: the clock is named by the kernel's thread
  /// id (as `pthread_getcpuclockid` does it, but without reading the thread's memory, which may be gone), and
  /// a reading counts only if the thread had not finished afterwards, so that the id cannot have been given
  /// to another. May be called from any thread.
  package func cpuNanoseconds() -> Int64? {
    let tid = tid
    if tid == 0 || isFinished { return nil }
    // The kernel's encoding of a per-thread CPU clock: the inverted id, then 4 for "thread" and 2 for "all of
    // its time".
    let clock = clockid_t(truncatingIfNeeded: (~tid << 3) | 6)
    var time = timespec()
    let result = clock_gettime(clock, &time)
    if result != 0 || isFinished { return nil }
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// The scheduler's view of the thread (`R` runs or is ready to, `S` sleeps, `D` waits for a device, ...);
  /// nil before it runs and after it has ended. Reads a file of /proc. May be called from any thread.
  package func schedulerState() -> Character? {
    let tid = tid
    if tid == 0 || isFinished { return nil }
    let letter = UInt8(truncatingIfNeeded: heddle_thread_state(tid))
    if letter == 0 || isFinished { return nil }
    return Character(Unicode.Scalar(letter))
  }

  /// The size of the calling thread's stack in bytes as the C library knows it, the guard not counted; 0 if
  /// unknown.
  package static func currentStackSize() -> Int { heddle_thread_stack_size() }
}
