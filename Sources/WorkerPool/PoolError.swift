import RunLoops

/// Why a pool could not be made, changed or started.
package enum PoolError: Error, CustomStringConvertible {
  /// The limits contradict each other or cannot serve the lanes; the text says which and what is allowed.
  case badLimits(String)
  /// The system did not give the minimum of threads.
  case cannotStart(wanted: Int, got: Int, any Error)

  /// One line for people.
  package var description: String {
    switch self {
    case .badLimits(let text): text
    case .cannotStart(let wanted, let got, let error):
      "only \(got) of the \(wanted) threads of minThreads could be made: \(error)"
    }
  }
}
