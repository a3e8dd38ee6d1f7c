import Synchronization
import Testing

@testable import Locks

/// Circles in the wait-for graph.
@Suite struct DeadlockTests {
  private func wait(_ lock: String, _ owner: Int32?) -> LockWait {
    LockWait(
      lockName: lock, kind: .mutex, ownerTID: owner, ownerName: owner.map { "t\($0)" }, elapsedSeconds: 1)
  }

  @Test func nobodyWaits() { #expect(LockDeadlock.find(in: [:]).isEmpty) }

  @Test func aChainIsNoCircle() {
    #expect(LockDeadlock.find(in: [1: wait("a", 2), 2: wait("b", 3), 4: wait("a", 2), 5: wait("c", nil)]).isEmpty)
  }

  @Test func twoThreadsThatHoldWhatTheOtherWants() {
    let found = LockDeadlock.find(in: [1: wait("a", 2), 2: wait("b", 1)])
    #expect(found == [LockDeadlock(threads: ["t1", "t2"], locks: ["a", "b"])])
  }

  @Test func whoWaitsForACircleIsNoPartOfIt() {
    let found = LockDeadlock.find(in: [1: wait("a", 3), 3: wait("b", 5), 5: wait("c", 3), 9: wait("c", 3)])
    #expect(found == [LockDeadlock(threads: ["t3", "t5"], locks: ["b", "c"])])
  }

  @Test func severalCirclesAreToldApart() {
    let found = LockDeadlock.find(in: [
      1: wait("a", 2), 2: wait("b", 1), 7: wait("x", 8), 8: wait("y", 9), 9: wait("z", 7),
    ])
    #expect(found.map(\.locks) == [["a", "b"], ["x", "y", "z"]])
  }

  /// Two real threads, each holding what the other asks for, until one of them gives up.
  @Test func aRealOneIsSeenWhileItLasts() {
    let (left, right) = (Lock("test.deadlock.left"), Lock("test.deadlock.right"))
    withExtendedLifetime((left, right)) {
      let seen = Flag()
      let held = Flag()
      let first = TestThread {
        left.withLock {
          held.set()
          // In short turns, so that it ends when the test has seen enough.
          while !seen.isSet {
            if right.lock(before: .after(.milliseconds(50))) { right.unlock() }
          }
        }
      }
      let second = TestThread {
        right.withLock {
          while !held.isSet {}
          left.withLock {}
        }
      }
      eventually("the two threads wait for each other") {
        LockDeadlock.find(in: LockWaits.snapshot()).contains {
          Set($0.locks) == ["test.deadlock.left", "test.deadlock.right"]
        }
      }
      seen.set()
      first.join()
      second.join()
    }
    #expect(LockDeadlock.find(in: LockWaits.snapshot()).allSatisfy { !$0.locks.contains("test.deadlock.left") })
  }

  private final class Flag: Sendable {
    private let word = Atomic<Bool>(false)
    var isSet: Bool { word.load(ordering: .acquiring) }
    func set() { word.store(true, ordering: .releasing) }
  }
}
