import Locks
import Testing

@Suite struct LockedTests {
  @Test func guardsAValue() {
    let counter = Locked("test.locked", 0)
    TestThread.run(4) { _ in
      for _ in 0..<10_000 { counter.withLock { $0 += 1 } }
    }
    #expect(counter.withLock { $0 } == 40_000)
    #expect(statistics("test.locked")?.acquisitionsTotal == 40_001)
  }

  @Test func triesWithoutWaiting() {
    let value = Locked("test.locked.try", "free")
    #expect(value.withLockIfAvailable { $0 } == "free")
    value.withLock { _ in
      TestThread { #expect(value.withLockIfAvailable { $0 } == nil) }.join()
    }
    #expect(statistics("test.locked.try")?.tryFailuresTotal == 1)
  }

  @Test func passesOnErrors() {
    struct Refusal: Error {}
    let value = Locked("test.locked.error", 1)
    #expect(throws: Refusal.self) {
      try value.withLock { (number) throws(Refusal) in
        number = 2
        throw Refusal()
      }
    }
    #expect(value.withLock { $0 } == 2)
  }

  @Test func holdsWhatCannotBeCopiedAndLetsItGo() {
    final class Witness: Sendable {}
    struct Unique: ~Copyable {
      let witness: Witness
    }
    weak var seen: Witness?
    do {
      let witness = Witness()
      seen = witness
      let value = Locked("test.locked.unique", Unique(witness: witness))
      #expect(value.withLock { $0.witness === witness })
    }
    #expect(seen == nil)
  }

  @Test func aConditionCanBeWaitedForInside() {
    let items = Locked("test.locked.condition", [Int]())
    let filled = Condition("test.locked.condition.filled", lock: items.lock)
    let thread = TestThread {
      let first = items.withLock { items in
        while items.isEmpty { filled.wait() }
        return items.removeFirst()
      }
      #expect(first == 3)
    }
    eventually("waits") { waiters("test.locked.condition.filled") == 1 }
    items.withLock { $0.append(3) }
    filled.signal()
    thread.join()
  }
}
