import Glibc
import Locks
import Testing

@Suite struct ConditionTests {
  private final class Mailbox: @unchecked Sendable {
    let lock: Lock
    let filled: Condition
    var items: [Int] = []

    init(_ name: String) {
      lock = Lock(name)
      filled = Condition(name + ".filled", lock: lock)
    }

    func put(_ item: Int) {
      lock.withLock { items.append(item) }
      filled.signal()
    }

    func take() -> Int {
      lock.withLock {
        while items.isEmpty { filled.wait() }
        return items.removeFirst()
      }
    }
  }

  @Test func signalAfterTheWaitHasBegun() {
    let mailbox = Mailbox("test.wait-first")
    let thread = TestThread { #expect(mailbox.take() == 5) }
    eventually("waits in the condition") { waiters("test.wait-first.filled") == 1 }
    let wait = LockWaits.snapshot().values.first { $0.lockName == "test.wait-first.filled" }
    #expect(wait?.kind == .condition)
    #expect(wait?.ownerTID == nil)
    eventually("the lock is free meanwhile") { statistics("test.wait-first")?.owner == nil }
    mailbox.put(5)
    thread.join()
    let row = statistics("test.wait-first.filled", .condition)
    #expect((row?.acquisitionsTotal ?? 0) >= 1)
    #expect(row?.contentionsTotal == 0)
    #expect(row?.waitSecondsTotal == 0)
    #expect(row?.waitersNow == 0)
  }

  @Test func signalBeforeTheWait() {
    let mailbox = Mailbox("test.signal-first")
    mailbox.put(6)
    TestThread { #expect(mailbox.take() == 6) }.join()
    #expect(statistics("test.signal-first.filled", .condition)?.acquisitionsTotal == 0)
  }

  @Test func handsOverManyInOrder() {
    let mailbox = Mailbox("test.hand-over")
    let producer = TestThread { for item in 0..<5_000 { mailbox.put(item) } }
    for item in 0..<5_000 { #expect(mailbox.take() == item) }
    producer.join()
  }

  @Test func broadcastWakesAll() {
    let lock = Lock("test.broadcast")
    let condition = Condition("test.broadcast.open", lock: lock)
    nonisolated(unsafe) var isOpen = false  // Only with the lock held.
    let threads = (0..<4).map { _ in
      TestThread { lock.withLock { while !isOpen { condition.wait() } } }
    }
    eventually("all wait") { waiters("test.broadcast.open") == 4 }
    lock.withLock { isOpen = true }
    condition.broadcast()
    for thread in threads { thread.join() }
    #expect(statistics("test.broadcast.open", .condition)?.waitersNow == 0)
  }

  @Test func givesUpAtTheDeadline() {
    let lock = Lock("test.condition.deadline")
    let condition = Condition("test.condition.deadline.c", lock: lock)
    lock.withLock {
      #expect(!condition.wait(until: .distantPast))
      #expect(!condition.wait(until: .after(.milliseconds(1))))
      #expect(lock.isHeldByCurrentThread)
    }
    let row = statistics("test.condition.deadline.c", .condition)
    #expect(row?.timeoutsTotal == 2)
    #expect(row?.acquisitionsTotal == 2)
    #expect(statistics("test.condition.deadline")?.timeoutsTotal == 0)
    #expect(statistics("test.condition.deadline")?.acquisitionsTotal == 3)
  }

  @Test func aContendedLockIsAccountedForWhenItIsGivenUpToWait() {
    let lock = Lock("test.condition.contended")
    let condition = Condition("test.condition.contended.c", lock: lock)
    lock.lock()
    let thread = TestThread { lock.withLock { condition.wait() } }
    eventually("waits for the lock") { waiters("test.condition.contended") == 1 }
    lock.unlock()
    eventually("waits in the condition") { waiters("test.condition.contended.c") == 1 }
    #expect(statistics("test.condition.contended")?.waits.count == 1)
    lock.withLock {}
    condition.signal()
    thread.join()
  }

  @Test func needsItsLock() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let lock = Lock("the lock")
      Condition("the condition", lock: lock).wait()
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("\"the condition\"") && message.contains("\"the lock\""))
  }
}
