import Glibc

/// Understands the command line and the environment. A pure function of both: it writes nothing and ends
/// nothing.
struct CommandLineParser {
  /// Reads one environment variable, or nil where it is not set.
  var environment: (String) -> String?

  /// What the words after the program's own name ask for.
  ///
  /// Reads only the variables named in `ServeOption.all`: container platforms add others with our prefix. A
  /// variable that is set to nothing counts as not set.
  static func parse(
    _ arguments: [String], environment: @escaping (String) -> String? = processVariable
  ) -> ParseResult {
    CommandLineParser(environment: environment).parse(arguments)
  }

  /// A variable of this process. Not safe beside a call of `setenv` on another thread.
  static func processVariable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static let commands = ["serve", "--help", "--version"]

  private func parse(_ arguments: [String]) -> ParseResult {
    let allowed = "allowed: " + Self.commands.joined(separator: ", ")
    guard let command = arguments.first else { return .usageError("heddle: no command; " + allowed) }
    switch command {
    case "serve": return parseServe(arguments.dropFirst())
    case "--help", "-h": return .help(HelpText.general)
    case "--version": return .version
    default:
      let kind = command.hasPrefix("-") ? "flag" : "command"
      return .usageError(unknown(kind, command, Self.commands, allowed))
    }
  }

  private func parseServe(_ arguments: ArraySlice<String>) -> ParseResult {
    if arguments.contains("--help") || arguments.contains("-h") { return .help(HelpText.serve()) }
    var options = ServeOptions()
    // How each option was named by whoever set it, for messages about several options.
    var sources: [String: String] = [:]
    do {
      // The command line comes second, so it wins.
      try readEnvironment(into: &options, sources: &sources, except: flagNames(in: arguments))
      try readFlags(arguments, into: &options, sources: &sources)
    } catch {
      return .usageError(error.line)
    }
    if let conflict = options.firstConflict() {
      let source = sources[conflict.option] ?? "--" + conflict.option
      return .usageError(UsageLine.make(source, conflict.value, conflict.allowed))
    }
    return .serve(options)
  }

  /// The line for a word that nobody knows, with what was probably meant.
  private func unknown(_ kind: String, _ word: String, _ known: [String], _ allowed: String) -> String {
    let guess = Suggestion.closest(to: word, among: known).map { "did you mean \($0)? " } ?? ""
    return "heddle: unknown \(kind) \(UsageLine.quoted(word)); \(guess)\(allowed)"
  }
}

/// Reading the options of `serve`.
extension CommandLineParser {
  /// Ends the parsing with a line for the user.
  private struct Refusal: Error {
    var line: String
  }

  /// A word split at its first `=`.
  private static func split(_ word: String) -> (flag: String, value: String?) {
    guard let equals = word.firstIndex(of: "=") else { return (word, nil) }
    return (String(word[..<equals]), String(word[word.index(after: equals)...]))
  }

  /// The option of a flag, and the text that the flag itself stands for where it takes no value.
  private static func option(of flag: String) -> (option: ServeOption, text: String?)? {
    for option in ServeOption.all {
      let isToggle = option.form == .toggle
      if flag == option.flag { return (option, isToggle ? "on" : nil) }
      if isToggle, flag == "--no-" + option.name { return (option, "off") }
    }
    return nil
  }

  /// The options that the command line sets. A variable that it overrides is not even looked at.
  private func flagNames(in arguments: ArraySlice<String>) -> Set<String> {
    Set(arguments.compactMap { Self.option(of: Self.split($0).flag)?.option.name })
  }

  private func readEnvironment(
    into options: inout ServeOptions, sources: inout [String: String], except overridden: Set<String>
  ) throws(Refusal) {
    for option in ServeOption.all where !overridden.contains(option.name) {
      guard let text = environment(option.variable), !text.isEmpty else { continue }
      try apply(option, text, namedAs: option.variable, to: &options)
      sources[option.name] = option.variable
    }
  }

  private func readFlags(
    _ arguments: ArraySlice<String>, into options: inout ServeOptions, sources: inout [String: String]
  ) throws(Refusal) {
    var words = arguments
    while let word = words.popFirst() {
      guard word.hasPrefix("-") else {
        throw Refusal(line: "heddle: unexpected argument \(UsageLine.quoted(word)); \(Self.seeHelp)")
      }
      let (flag, attached) = Self.split(word)
      guard let (option, fixed) = Self.option(of: flag) else {
        throw Refusal(line: unknown("flag", flag, Self.flags, Self.seeHelp))
      }
      sources[option.name] = option.flag
      if let fixed {
        guard attached == nil else {
          throw Refusal(
            line: UsageLine.make(flag, attached ?? "", "takes no value; allowed: \(Self.forms(option))"))
        }
        try apply(option, fixed, namedAs: flag, to: &options)
        continue
      }
      // The next word is the value, unless it is a flag itself. A value that starts so can be given after
      // `=`.
      let next = words.first.flatMap { $0.hasPrefix("--") ? nil : $0 }
      guard let text = attached ?? next else {
        throw Refusal(line: "heddle: \(flag) needs a value; allowed: \(Self.forms(option))")
      }
      if attached == nil { words.removeFirst() }
      try apply(option, text, namedAs: flag, to: &options)
    }
  }

  private func apply(
    _ option: ServeOption, _ text: String, namedAs name: String, to options: inout ServeOptions
  ) throws(Refusal) {
    do throws(ValueProblem) {
      try option.apply(&options, text)
    } catch {
      throw Refusal(line: UsageLine.make(name, text, error.allowed))
    }
  }

  private static let seeHelp = "'heddle serve --help' lists what is allowed"

  private static let flags =
    ServeOption.all.flatMap { $0.form == .toggle ? [$0.flag, "--no-" + $0.name] : [$0.flag] } + ["--help"]

  private static func forms(_ option: ServeOption) -> String {
    HelpText.usage(of: option)
  }
}
