import Glibc

// Nothing but the way in: what the words mean is CommandLineParser's affair, what is done is Serve's.

switch CommandLineParser.parse(Array(CommandLine.arguments.dropFirst())) {
case .serve(let options):
  exit(Serve.run(options).rawValue)
case .help(let text):
  print(text, terminator: "")
case .version:
  print(HelpText.version)
case .usageError(let line):
  StandardError.write(line)
  exit(ExitCode.usage.rawValue)
}
