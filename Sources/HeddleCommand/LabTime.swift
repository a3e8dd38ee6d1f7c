import CPlatform
import Glibc

/// Time spent on purpose.
enum LabTime {
  /// Blocks the calling thread. Goes on after a signal.
  static func sleep(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    guard seconds > 0 || attoseconds > 0 else { return }
    var rest = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    while true {
      var left = timespec()
      if nanosleep(&rest, &left) == 0 || errno != EINTR { return }
      rest = left
    }
  }

  /// Processor time that the calling thread has used, in nanoseconds.
  static func threadCPU() -> Int64 { heddle_clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID) }
}
