/// Identifiers for requests: 64 bits that do not repeat within a lane and are not to be foreseen from the last one seen
/// by eye. They are names, not secrets.
///
/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014) over a counter from a random start:
/// a system call for each identifier would cost as much as the rest of the head.
struct RequestIDs {
  private var counter: UInt64

  init(lane: Int) {
    var generator = SystemRandomNumberGenerator()
    counter = generator.next() &+ UInt64(lane)
  }

  /// The next one; never 0, which stands for "none".
  mutating func next() -> UInt64 {
    counter &+= 0x9E37_79B9_7F4A_7C15
    var mixed = counter
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    return mixed == 0 ? next() : mixed
  }
}
