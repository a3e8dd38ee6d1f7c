extension Interleaving {
  /// Wrong ways to do what Heddle does. Each looks harmless, and is caught by a test (docs/models.md has the table).
  public enum Variant: String, Sendable, Hashable, CaseIterable, Codable {
    // Exchanges.
    /// Whoever finishes does so without having claimed it.
    case noClaim
    /// The finisher looks whether the connection is suspended, and then marks the exchange as finished.
    case looksThenFinishes
    /// The leader looks whether the exchange is finished, and then stores that it is suspended.
    case looksThenSuspends
    /// The finisher posts also what is not suspended.
    case postsAlways
    /// The finisher does not post a suspended exchange whose client is gone.
    case goneIsNotPosted
    /// The finisher posts nothing.
    case neverPosts
    /// The finisher resumes the connection itself.
    case resumesItself
    /// An exchange is used again although a worker still holds it.
    case recyclesShared

    // The inbox.
    /// The leader looks into the inbox, and then marks itself as asleep.
    case looksThenSleeps
    /// The leader marks itself as asleep without a look.
    case sleepsUnseen
    /// Who finds the leader asleep does not wake it.
    case noWakeUp

    // The lane.
    /// "Is the lane vacant?" and taking it are two steps.
    case twoLead
    /// A new leader waits before its first pass.
    case newLeaderWaits
    /// The leader waits although libmicrohttpd asks for another pass.
    case ignoresZero
    /// The run in which the leader woke counts for what was taken after it.
    case skipsRun
    /// A drained lane is closed although it holds requests.
    case stopsEarly
    /// A drained lane is not closed while anything is queued.
    case stopsLast
    /// The drain timeout does not post what it finishes.
    case expiredIsNotPosted
    /// A request that comes after the drain timeout is run.
    case latecomerRuns

    // Parking, waking, ending.
    /// To park is decided in one step and the worker pushed on the stack in another.
    case looksThenParks
    /// The idle end does not look whether the worker was called.
    case tokenEnds
    /// What the scheduler has decided is done after the handler.
    case paysLate
    /// A worker that handles a message keeps the call that it was given.
    case messageEatsToken
    /// … keeps its place on the stack.
    case messageOnStack
    /// … keeps its lane.
    case messageKeepsLane
    /// … leaves its lane without having somebody look after it.
    case vacatesQuietly
  }
}
