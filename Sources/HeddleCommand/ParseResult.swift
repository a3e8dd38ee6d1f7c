/// What a command line asks for.
enum ParseResult: Equatable, Sendable {
  /// Run the server.
  case serve(ServeOptions)

  /// Write this text to standard output and exit with 0.
  case help(String)

  /// Write `HelpText.version` to standard output and exit with 0.
  case version

  /// Write this one line to standard error and exit with 64. It has no line end.
  case usageError(String)
}
