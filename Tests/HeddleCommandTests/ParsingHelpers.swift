import Testing

@testable import HeddleCommand

/// What `heddle serve` with these words and variables asks for. The variables of the test's own process are
/// not seen.
func parseServe(_ words: [String], variables: [String: String] = [:]) -> ParseResult {
  CommandLineParser.parse(["serve"] + words, environment: { variables[$0] })
}

/// The options of a command line that is expected to be fine.
func options(
  _ words: [String], variables: [String: String] = [:], at location: SourceLocation = #_sourceLocation
) throws -> ServeOptions {
  let result = parseServe(words, variables: variables)
  guard case .serve(let options) = result else {
    Issue.record("not to be served: \(result)", sourceLocation: location)
    throw Unexpected()
  }
  return options
}

/// The line about a command line that is expected to be refused.
func refusal(
  _ words: [String], variables: [String: String] = [:], at location: SourceLocation = #_sourceLocation
) throws -> String {
  let result = parseServe(words, variables: variables)
  guard case .usageError(let line) = result else {
    Issue.record("not refused: \(result)", sourceLocation: location)
    throw Unexpected()
  }
  return line
}

/// Ends a test whose result has been recorded as wrong.
struct Unexpected: Error {}
