/// The texts of `--help` and `--version`, made from the table of options.
enum HelpText {
  /// The line of `--version`.
  static let version = "heddle 0.1.0"

  /// The text of `heddle --help`.
  static let general = """
    usage: heddle serve [options]
           heddle --help | --version

    An HTTP/1.1 server in which every worker is a thread that lives in its own run loop.

    commands:
      serve    answer requests until SIGTERM or SIGINT; 'heddle serve --help' lists its options

    exit codes: 0 clean end, 64 usage, 69 cannot bind, 70 internal, 75 drain gave up

    """

  /// The text of `heddle serve --help`.
  static func serve() -> String {
    let column = (ServeOption.all.map { usage(of: $0).count }.max() ?? 0) + 2
    var text = """
      usage: heddle serve [options]

      Each option is also read from the environment: \(example.flag) from \(example.variable).
      An option on the command line wins. Times: 250ms, 30s, 5m, 1h. Sizes: bytes, 64KiB, 1MiB.

      """
    for section in ServeOption.sections {
      text += "\n\(section.title):\n"
      for option in section.options {
        let name = usage(of: option)
        text += "  \(name)\(String(repeating: " ", count: column - name.count))"
        text += "\(option.help) [\(option.defaultText)]\n"
      }
    }
    return text
  }

  /// The option as it is written, with a word for its value.
  static func usage(of option: ServeOption) -> String {
    switch option.form {
    case .value(let word): "\(option.flag) \(word)"
    case .toggle: "\(option.flag), --no-\(option.name)"
    }
  }

  /// An option whose name shows how the variables are named.
  private static var example: (flag: String, variable: String) {
    let option = ServeOption.all.first { $0.name.contains("-") }
    return (option?.flag ?? "", option?.variable ?? "")
  }
}
