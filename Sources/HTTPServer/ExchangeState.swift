import Interleavings
import Synchronization

/// The one word that decides the race between whoever finishes an exchange and the leader that meets it.
///
/// Bits are only ever set, by a single read-modify-write that also tells what was there before: no pair of steps
/// "look, then mark" exists, which is what loses answers (docs/threading.md).
struct ExchangeState: ~Copyable, Sendable {
  /// A set of bits.
  struct Bits: OptionSet, Sendable {
    let rawValue: UInt8
    /// Somebody is finishing it; whoever comes later has lost.
    static let claimed = Bits(rawValue: 1)
    /// The result is there.
    static let finished = Bits(rawValue: 2)
    /// The connection is suspended, or about to be, by the leader.
    static let suspended = Bits(rawValue: 4)
    /// The connection is gone.
    static let abandoned = Bits(rawValue: 8)
  }

  private let word = Atomic<UInt8>(0)

  /// What is set now. Acquire: a result that is finished can be read.
  var bits: Bits { Bits(rawValue: word.load(ordering: .acquiring)) }

  /// Sets a bit and returns what was set before.
  func set(_ bit: Bits) -> Bits {
    if bit == .finished && Interleaving.isWrong(.looksThenFinishes)
      || bit == .suspended && Interleaving.isWrong(.looksThenSuspends)
    {
      let before = bits
      Interleaving.reach(.betweenTwoSteps)
      word.store(before.union(bit).rawValue, ordering: .releasing)
      return before
    }
    return Bits(rawValue: word.bitwiseOr(bit.rawValue, ordering: .acquiringAndReleasing).oldValue)
  }

  /// Owner of the exchange only, between two requests.
  func reset() { word.store(0, ordering: .relaxed) }
}
