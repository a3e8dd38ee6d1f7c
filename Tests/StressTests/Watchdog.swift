import Glibc
import Heddle
import TestSupport

/// Looks whether something still goes on. If not, it says what every thread does, and ends the process: whoever hangs cannot say so itself.
final class Watchdog: Sendable {
  /// What the process ends with.
  static let exitCode: Int32 = 70

  private struct State: Sendable {
    var isOver = false
    var last = -1
    var lastChange = 0.0
  }

  private let state = Locked("test.watchdog", State())
  private let changed: Condition
  private let thread: Locked<OwnedThread?> = Locked("test.watchdog.thread", nil)

  /// - Parameters:
  ///   - patience: how many seconds may pass without progress
  ///   - progress: a number that rises as long as something goes on
  ///   - report: adds what the test knows
  init(
    patience: Double, progress: @escaping @Sendable () -> Int, report: @escaping @Sendable () -> Void
  ) throws {
    changed = Condition("test.watchdog", lock: state.lock)
    let started = try OwnedThread.start(ThreadOptions(name: "test-watchdog")) { [state, changed] in
      while true {
        let current = progress()
        let isStuck = state.withLock { state -> Bool? in
          if state.isOver { return nil }
          let now = Watchdog.seconds()
          if current != state.last { (state.last, state.lastChange) = (current, now) }
          if now - state.lastChange > patience { return true }
          _ = changed.wait(until: .after(.milliseconds(500)))
          return state.isOver ? nil : false
        }
        guard let isStuck else { return }
        if isStuck {
          Watchdog.say("no progress for \(patience) s (at \(current)); every thread of the process:")
          ThreadDump.writeStates()
          report()
          ThreadDump.writeStacks()
          Watchdog.say("no progress for \(patience) s: the process ends")
          _exit(Watchdog.exitCode)
        }
      }
    }
    thread.withLock { $0 = started }
  }

  /// All went well.
  func stop() {
    state.withLock {
      $0.isOver = true
      changed.broadcast()
    }
    thread.withLock { $0 }?.join()
  }

  /// From now on standard error is written to a file.
  static func redirect(to path: String) {
    let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    guard file >= 0 else { return }
    dup2(file, STDERR_FILENO)
    close(file)
  }

  /// A line on standard error.
  static func say(_ text: String) { write("stress: \(text)\n") }

  /// Text on standard error.
  static func write(_ text: String) {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(STDERR_FILENO, $0.baseAddress.map { $0 + sent }, $0.count - sent)
      }
      if count <= 0 { return }
      sent += count
    }
  }

  private static func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
