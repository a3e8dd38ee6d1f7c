import Interleavings
import Locks

/// Who runs next.
protocol Strategy: Sendable {
  /// The index of one of the candidates, which are in the order of their names.
  mutating func choose(_ candidates: [Conductor.Step], last: String) -> Int
}

extension Interleaving.Place {
  /// Who comes here does so again and again as long as others do nothing: they come first.
  var yields: Bool { self == .beforeTick || self == .beforeIdleEnd || self == .idling }

  /// Whether a turn that begins here may wake somebody. To look whether it did is dear.
  var mayWake: Bool {
    switch self {
    // Not those within a pass: libmicrohttpd sends answers there.
    case .beforePublish, .beforeSleepMark, .beforeClaim, .beforeFinish, .beforePush, .beforeItem, .beforeIdleEnd,
      .beforeTick, .beforeExpiry, .idling:
      false
    default: true
    }
  }
}

/// Everybody runs until it sleeps; then the next one in order does.
struct Steady: Strategy {
  mutating func choose(_ candidates: [Conductor.Step], last: String) -> Int {
    Steady.choice(candidates, last: last)
  }

  static func choice(_ candidates: [Conductor.Step], last: String) -> Int {
    if let index = candidates.firstIndex(where: { $0.name == last && !$0.place.yields }) { return index }
    let others = candidates.indices.filter { !candidates[$0].place.yields }
    if let next = others.first(where: { candidates[$0].name > last }) ?? others.first { return next }
    return candidates.firstIndex { $0.name > last } ?? 0
  }
}

/// As ``Steady``, but for some turns that others get: numbers of turns, and which of the others.
///
/// With one or two of them, each tried at every turn, most mistakes are found: Musuvathi and Qadeer, Iterative Context Bounding, 2007.
struct Preempting: Strategy {
  let at: [Int: Int]
  /// How many others there were at each turn.
  let others: Recorder
  private var turn = 0

  init(_ at: [Int: Int], others: Recorder) {
    self.at = at
    self.others = others
  }

  mutating func choose(_ candidates: [Conductor.Step], last: String) -> Int {
    defer { turn += 1 }
    others.append(candidates.count - 1)
    let usual = Steady.choice(candidates, last: last)
    guard let wanted = at[turn], candidates.count > 1 else { return usual }
    let rest = candidates.indices.filter { $0 != usual }
    return rest[wanted % rest.count]
  }
}

/// As another strategy, but who comes to one place is held there until somebody else has gone on from another.
struct Holding: Strategy {
  let held: Interleaving.Place
  let until: Interleaving.Place
  /// Gets an entry when it has come about.
  let happened: Recorder
  private var base: any Strategy
  /// So often somebody goes on from the first place before one is held.
  private var skips: Int
  private var holder: String?
  private var other: String?
  private var turns = 0
  private var isOver = false

  /// So many turns are waited for the other one.
  private static let patience = 40

  init(
    at held: Interleaving.Place, until: Interleaving.Place, skips: Int, base: any Strategy, happened: Recorder
  ) {
    (self.held, self.until, self.skips, self.base, self.happened) = (held, until, skips, base, happened)
  }

  mutating func choose(_ candidates: [Conductor.Step], last: String) -> Int {
    if other != nil {
      // The other one has taken its step.
      happened.append(1)
      (other, isOver) = (nil, true)
    }
    if isOver { return base.choose(candidates, last: last) }
    if holder == nil {
      let index = base.choose(candidates, last: last)
      guard candidates[index].place == held else { return index }
      skips -= 1
      if skips >= 0 { return index }
      holder = candidates[index].name
    }
    let rest = candidates.filter { $0.name != holder }
    turns += 1
    guard !rest.isEmpty, turns < Holding.patience else {
      isOver = true
      return base.choose(candidates, last: last)
    }
    let chosen = rest[base.choose(rest, last: last)]
    if chosen.place == until { other = chosen.name }
    return candidates.firstIndex(of: chosen) ?? 0
  }
}

/// Any of them, at random.
struct Anyone: Strategy {
  var random: SeededNumbers

  mutating func choose(_ candidates: [Conductor.Step], last: String) -> Int { random.below(candidates.count) }
}

/// Each thread has a priority, and the highest runs; at a few turns the one that would run falls to the bottom.
///
/// Finds a mistake that needs d orders with a probability that is known: Burckhardt, Kothari, Musuvathi and Nagarakatte, A Randomized Scheduler
/// with Probabilistic Guarantees of Finding Bugs (PCT), 2010.
struct Priorities: Strategy {
  private var random: SeededNumbers
  private var priorities: [String: Int] = [:]
  private var changes: Set<Int> = []
  private var turn = 0
  private var lowest = 0

  init(random: SeededNumbers, changes count: Int, turns: Int) {
    self.random = random
    for _ in 0..<count { changes.insert(self.random.below(turns)) }
  }

  mutating func choose(_ candidates: [Conductor.Step], last: String) -> Int {
    defer { turn += 1 }
    for candidate in candidates {
      if priorities[candidate.name] == nil { priorities[candidate.name] = 1 + random.below(1 << 20) }
    }
    if changes.contains(turn) { demote(candidates[highest(candidates)].name) }
    let first = highest(candidates)
    // Who looks again and again lets the others go first the next time.
    if candidates[first].place.yields { demote(candidates[first].name) }
    return first
  }

  private mutating func demote(_ name: String) {
    lowest -= 1
    priorities[name] = lowest
  }

  private func highest(_ candidates: [Conductor.Step]) -> Int {
    candidates.indices.max { priorities[candidates[$0].name, default: 0] < priorities[candidates[$1].name, default: 0] }
      ?? 0
  }
}

/// The same numbers for the same seed: Steele, Lea and Flood's SplitMix64.
struct SeededNumbers: Sendable {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
}

/// Numbers that a strategy leaves behind.
final class Recorder: Sendable {
  private let numbers = Locked<[Int]>("test.recorder", [])
  func append(_ number: Int) { numbers.withLock { $0.append(number) } }
  var values: [Int] { numbers.withLock { $0 } }
}

extension Recorder {
  /// The turns that were taken in a round.
  final class Steps: Sendable {
    private let steps = Locked<[Conductor.Step]>("test.steps", [])
    func set(_ new: [Conductor.Step]) { steps.withLock { $0 = new } }
    var values: [Conductor.Step] { steps.withLock { $0 } }
  }
}
