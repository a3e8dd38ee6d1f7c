import WorkerPool

/// Something that a lane's leader is told to do.
final class LaneCommand: WorkItem, @unchecked Sendable {
  // Unchecked only because the base class is: what is added is immutable.

  enum Kind: Sendable {
    /// Stop accepting, and close when nothing is left.
    case drain
    /// Answer with 503 whatever is not answered yet.
    case expire
    /// After that: do not wait any longer for clients that neither send nor take what they should.
    case abort
  }

  let kind: Kind
  init(_ kind: Kind) { self.kind = kind }
}
