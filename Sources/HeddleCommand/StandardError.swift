import Glibc
import Heddle

/// What the command says when it does not serve.
enum StandardError {
  /// Writes one line.
  static func write(_ line: String) { Log.toStandardError(line) }
}

/// The process, as the start-up line names it.
enum ProcessID {
  /// This process's number.
  static var current: Int32 { getpid() }
}
