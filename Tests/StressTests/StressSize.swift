import Glibc

/// How much is done, from the environment.
struct StressSize: Sendable {
  /// `HEDDLE_STRESS_REQUESTS`: requests of all clients together. Default 4,000.
  let requests: Int
  /// `HEDDLE_STRESS_SEED`: what all the random choices follow from. Default 1, and then 2.
  let seed: UInt64

  /// Lanes of the server: two if the seed is even.
  var lanes: Int { seed % 2 == 0 ? 2 : 1 }

  /// Clients at once: more than there are threads and places in the queue, so that some find it full.
  static let clients = 32

  static func fromEnvironment() -> [StressSize] {
    let requests = number("HEDDLE_STRESS_REQUESTS").map { max(1, Int(clamping: $0)) } ?? 4_000
    let seeds: [UInt64]
    if let seed = number("HEDDLE_STRESS_SEED") { seeds = [seed] } else { seeds = [1, 2] }
    return seeds.map { StressSize(requests: requests, seed: $0) }
  }

  private static func number(_ name: String) -> UInt64? {
    getenv(name).flatMap { UInt64(String(cString: $0)) }
  }
}

/// Numbers that look random and are the same in every run with the same seed: splitmix64.
struct StressRandom {
  private var state: UInt64

  init(seed: UInt64, stream: UInt64) {
    state = seed
    state = next() ^ (stream &* 0xD134_2543_DE82_EF95)
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// From 0 to one less than the bound.
  mutating func below(_ bound: Int) -> Int { Int(next() >> 1) % bound }
}
