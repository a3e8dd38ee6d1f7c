/// How the process ends. The numbers are those of sysexits.h, which supervisors know.
enum ExitCode: Int32, Sendable {
  /// After a clean drain, and after `--help` and `--version`.
  case success = 0

  /// The command line or an environment variable was not understood (EX_USAGE).
  case usage = 64

  /// The address could not be bound (EX_UNAVAILABLE).
  case cannotBind = 69

  /// A failure of the program itself (EX_SOFTWARE).
  case internalError = 70

  /// The drain gave up on a handler; a supervisor should start the program again (EX_TEMPFAIL).
  case drainGaveUp = 75
}
