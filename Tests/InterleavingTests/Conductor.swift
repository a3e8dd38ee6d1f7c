import CPlatform
import Glibc
import Interleavings
import Locks
import RunLoops
import Synchronization

/// Lets one of a server's threads run at a time, from one ``Interleaving/Place`` to the next, and chooses which.
///
/// A thread that sleeps in the kernel has no turn. Before each choice the conductor waits until everybody else is at a place, or
/// truly asleep (by the kernel's word), so that a wake-up is never a matter of luck: with the same ``Strategy`` a round takes the same
/// course. Where everybody sleeps and somebody still waits for something, a wake-up was lost.
/// (Stateless exploration with a serializing scheduler: Godefroid, VeriSoft, 1997; Musuvathi and Qadeer, CHESS, 2007.)
final class Conductor: InterleavingArbiter, @unchecked Sendable {
  // Unchecked: what can change is reached under `lock`, or is atomic.

  private let lock = Lock("test.conductor")
  private var players: [Player] = []
  private var strategy: any Strategy
  private let wrong: Interleaving.Variant?
  private var choices: Set<Interleaving.Choice> = []
  private var births = 0
  private var ended: Set<String> = []
  private var current: Player?
  private var last = ""
  /// The last one that said that it would sleep.
  private var fallsAsleep: Player?
  private var isChoosing = false
  /// Whether the last turn may have woken somebody who slept.
  private var mayHaveWoken = true
  private var isPaused = false
  private var quorum = 0
  private var isFree = false
  private var counts: [Interleaving.Event: Int] = [:]
  private var inPass: Int32?
  private var steps = 0
  private var log: [Step] = []
  private var found: String?

  /// One turn: who, and where it began.
  struct Step: Equatable, CustomStringConvertible {
    let name: String
    let place: Interleaving.Place
    var description: String { "\(name)@\(place)" }
  }

  init(_ strategy: any Strategy, wrong: Interleaving.Variant? = nil) {
    self.strategy = strategy
    self.wrong = wrong
  }

  // MARK: for the test's own thread

  /// Nobody gets a turn until ``resume(with:)``; who runs goes on to its next place.
  func pause() { lock.withLock { isPaused = true } }

  /// Nobody gets a turn until so many threads take part.
  func expect(_ count: Int) { lock.withLock { quorum = count } }

  /// Goes on, with a strategy for the rest.
  func resume(with new: any Strategy) {
    lock.withLock {
      mayHaveWoken = true
      strategy = new
      last = ""
      log = []
      isPaused = false
      dispatch(besides: nil)
    }
  }

  /// Lets everybody run as they like from now on.
  func release() {
    lock.withLock {
      isFree = true
      for player in players { player.seat.open() }
    }
  }

  /// Waits until something holds, as far as the server comes. False: it never will, since everybody sleeps; or nobody comes to a
  /// place any more; or the round goes on for ever. Only that takes time.
  func wait(until holds: (Set<String>) -> Bool) -> Bool {
    var seen = -1
    var since = heddle_now()
    while true {
      let (count, names, isIdle, problem) = lock.withLock {
        (steps, ended, current == nil && !isChoosing && births == 0, found)
      }
      if problem != nil { return false }
      if holds(names) { return true }
      if count != seen { (seen, since) = (count, heddle_now()) }
      if heddle_now() - since > (isIdle ? Conductor.silence : Conductor.absence) {
        // Woken only now, by something that is late: not yet the end.
        if isIdle, !lock.withLock({ settled(besides: nil) }) { continue }
        lock.withLock { found = isIdle ? "everybody sleeps: \(sleepers)" : "a thread does not come to a place" }
        return false
      }
      usleep(50)
    }
  }

  /// How long everybody must sleep before that is taken for the end, and one may be on its way, in nanoseconds.
  private static let silence: Int64 = 400_000_000
  private static let absence: Int64 = 20_000_000_000

  /// Waits until everybody sleeps.
  func waitUntilIdle() -> Bool {
    wait { _ in lock.withLock { current == nil && !isChoosing && births == 0 && settled(besides: nil) } }
  }

  /// Waits until so many threads take part.
  func waitForBirths(_ count: Int) {
    while lock.withLock({ players.count < count || births > 0 }) { usleep(50) }
  }

  /// What was found to be wrong on the way.
  var problem: String? { lock.withLock { found } }

  /// Whose turn it was, since ``resume(with:)``.
  var trace: [Step] { lock.withLock { log } }

  func count(_ event: Interleaving.Event) -> Int { lock.withLock { counts[event, default: 0] } }

  /// From now on the answer to this question is yes.
  func choose(_ choice: Interleaving.Choice) { lock.withLock { _ = choices.insert(choice) } }

  /// No more.
  func unchoose(_ choice: Interleaving.Choice) { lock.withLock { _ = choices.remove(choice) } }

  private var sleepers: String { players.map(\.name).sorted().joined(separator: ", ") }

  // MARK: InterleavingArbiter

  func reach(_ place: Interleaving.Place) { takeTurn(at: place) }

  func willSleep() {
    guard let me else { return }
    lock.withLock {
      guard !isFree else { return }
      me.isAwake.store(false, ordering: .releasing)
      me.state = .asleep
      fallsAsleep = me
      current = nil
      dispatch(besides: me)
    }
  }

  func hasWoken() { takeTurn(at: .afterWait) }

  func note(_ event: Interleaving.Event) {
    let tid = heddle_tid()
    lock.withLock {
      counts[event, default: 0] += 1
      switch event {
      case .passBegins:
        if inPass != nil { found = found ?? "two threads make a pass at the same time" }
        inPass = tid
      case .passEnds: inPass = nil
      default: break
      }
    }
  }

  func chooses(_ choice: Interleaving.Choice) -> Bool { lock.withLock { choices.contains(choice) } }

  func isWrong(_ variant: Interleaving.Variant) -> Bool { variant == wrong }

  func willStartThread() { lock.withLock { births += 1 } }

  func threadWasNotStarted() { lock.withLock { births -= 1 } }

  func threadStarts() {
    let player = Player(name: OwnedThread.current?.name ?? "?")
    lock.withLock {
      births -= 1
      mayHaveWoken = true
      players.append(player)
    }
    OwnedThread.current?[Conductor.key] = player
    takeTurn(at: .birth)
  }

  func threadEnds() {
    guard let me else { return }
    lock.withLock {
      players.removeAll { $0 === me }
      if fallsAsleep === me { fallsAsleep = nil }
      ended.insert(me.name)
      me.state = .ended
      if current === me {
        current = nil
        mayHaveWoken = true
        dispatch(besides: nil)
      }
    }
  }

  // MARK: turns

  private static let key = ThreadLocalKey<Player>()
  private var me: Player? { OwnedThread.current?[Conductor.key] }

  private func takeTurn(at place: Interleaving.Place) {
    guard let me else { return }
    // Before the lock: who waits for that one is asleep too.
    me.isAwake.store(true, ordering: .releasing)
    lock.lock()
    guard !isFree else { return lock.unlock() }
    me.state = .ready(place)
    me.seat.close()
    if fallsAsleep === me { fallsAsleep = nil }
    if case .afterWait = place, current !== me { mayHaveWoken = true }
    if current === me { current = nil }
    dispatch(besides: me)
    lock.unlock()
    me.seat.wait()
    // Who went to sleep and gave the turn to this one is to have fallen asleep, if it does at all.
    while let other = lock.withLock({ fallsAsleep }), other !== me, !other.isAsleepInKernel {
      if other.isAwake.load(ordering: .acquiring) {
        lock.withLock { mayHaveWoken = true }
        break
      }
      sched_yield()
    }
  }

  /// Chooses who runs next, if nobody does. Under the lock, which it lets go for a while: somebody else may come meanwhile, and
  /// leaves the choice to this one.
  private func dispatch(besides me: Player?) {
    guard current == nil, !isChoosing, !isPaused, !isFree, players.count >= quorum else { return }
    quorum = 0
    isChoosing = true
    while births > 0 || (mayHaveWoken && !settled(besides: me)) {
      lock.unlock()
      sched_yield()
      lock.lock()
    }
    (isChoosing, mayHaveWoken) = (false, false)
    var ready: [(player: Player, candidate: Step)] = []
    for player in players {
      if case .ready(let place) = player.state { ready.append((player, Step(name: player.name, place: place))) }
    }
    guard !ready.isEmpty, !isPaused, !isFree else { return }
    ready.sort { $0.candidate.name < $1.candidate.name }
    let index = strategy.choose(ready.map(\.candidate), last: last)
    let (player, candidate) = ready[index]
    last = player.name
    log.append(candidate)
    steps += 1
    if log.count > Conductor.patience { found = found ?? "the round does not end" }
    current = player
    mayHaveWoken = candidate.place.mayWake
    player.state = .running
    player.seat.open()
  }

  /// More turns than any round takes.
  private static let patience = 5000

  /// Whether all who say that they sleep do. Under the lock.
  private func settled(besides me: Player?) -> Bool {
    players.allSatisfy { player in
      guard player !== me, case .asleep = player.state else { return true }
      // In this order: one that has returned from the kernel may be asleep once more, on the conductor's lock.
      return player.isAsleepInKernel && !player.isAwake.load(ordering: .acquiring)
    }
  }
}
