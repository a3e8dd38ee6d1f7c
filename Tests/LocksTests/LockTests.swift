import Glibc
import Locks
import Synchronization
import Testing

@Suite struct LockTests {
  /// A counter that is safe only under a lock.
  private final class Shared: @unchecked Sendable {
    var value = 0
  }

  @Test func excludesOtherThreads() {
    let lock = Lock("test.excludes")
    let shared = Shared()
    TestThread.run(4) { _ in
      for _ in 0..<20_000 { lock.withLock { shared.value += 1 } }
    }
    #expect(shared.value == 80_000)
    let row = statistics("test.excludes")
    #expect(row?.acquisitionsTotal == 80_000)
    #expect(row?.waits.count == row?.contentionsTotal)
  }

  @Test func excludesWithEveryWayToLock() {
    let lock = Lock("test.ways")
    let shared = Shared()
    TestThread.run(4) { index in
      for _ in 0..<5_000 {
        switch index {
        case 0: lock.lock()
        case 1: while !lock.tryLock() { sched_yield() }
        case 2: while !lock.lock(before: .distantPast) { sched_yield() }
        default: while !lock.lock(before: .after(.microseconds(50))) {}
        }
        shared.value += 1
        lock.unlock()
      }
    }
    #expect(shared.value == 20_000)
    #expect(statistics("test.ways")?.acquisitionsTotal == 20_000)
  }

  @Test func triesWithoutWaiting() {
    let lock = Lock("test.try")
    #expect(lock.tryLock())
    #expect(!lock.tryLock())
    TestThread { #expect(!lock.tryLock()) }.join()
    lock.unlock()
    TestThread {
      #expect(lock.tryLock())
      lock.unlock()
    }.join()
    let row = statistics("test.try")
    #expect(row?.acquisitionsTotal == 2)
    #expect(row?.tryFailuresTotal == 2)
    #expect(row?.contentionsTotal == 0)
  }

  @Test func givesUpAtTheDeadline() {
    let lock = Lock("test.deadline")
    lock.lock()
    TestThread {
      #expect(!lock.lock(before: .distantPast))
      #expect(!lock.lock(before: .now()))
      #expect(!lock.lock(before: .after(.milliseconds(1))))
    }.join()
    lock.unlock()
    let row = statistics("test.deadline")
    #expect(row?.timeoutsTotal == 3)
    #expect(row?.contentionsTotal == 3)
    #expect(row?.waits.count == 3)
    #expect(row?.acquisitionsTotal == 1)
    #expect(row?.waitersNow == 0)
    #expect((row?.waitSecondsMax ?? 0) >= 0.001)
  }

  @Test func takesAFreeLockWhateverTheDeadline() {
    let lock = Lock("test.deadline.free")
    #expect(lock.lock(before: .distantPast))
    lock.unlock()
    #expect(statistics("test.deadline.free")?.timeoutsTotal == 0)
  }

  @Test func passesOnResultsAndErrors() {
    struct Refusal: Error, Equatable {}
    let lock = Lock("test.results")
    #expect(lock.withLock { 7 } == 7)
    #expect(throws: Refusal()) { try lock.withLock { () throws(Refusal) in throw Refusal() } }
    #expect(lock.tryLock(), "unlocked after the error")
    lock.unlock()
  }

  @Test func knowsItsHolder() {
    let lock = Lock("test.holder")
    #expect(!lock.isHeldByCurrentThread)
    lock.withLock {
      #expect(lock.isHeldByCurrentThread)
      lock.assertHeld()
      TestThread { #expect(!lock.isHeldByCurrentThread) }.join()
    }
    #expect(!lock.isHeldByCurrentThread)
  }

  @Test func isNotRecursive() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let lock = Lock("a lock with a name")
      lock.lock()
      lock.lock()
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("\"a lock with a name\" is locked twice"))
  }

  @Test func isNotRecursiveWithADeadlineEither() async {
    await #expect(processExitsWith: .failure) {
      let lock = Lock("twice")
      lock.lock()
      _ = lock.lock(before: .distantPast)
    }
  }

  @Test func statesThatItMustBeHeld() async {
    await #expect(processExitsWith: .failure) { Lock("not held").assertHeld() }
  }

  @Test func mustNotBeHeldWhenItGoesAway() async {
    await #expect(processExitsWith: .failure) { Lock("gone").lock() }
  }

  @Test func staysInMemoryIfAnotherThreadHoldsItForEver() {
    TestThread { Unmanaged.passRetained(Lock("test.abandoned")).takeUnretainedValue().lock() }.join()
    #expect(statistics("test.abandoned")?.instances == 1)
    let lock = Lock("test.abandoned.released")
    let pointer = Unmanaged.passRetained(lock)
    let bits = UInt(bitPattern: pointer.toOpaque())
    TestThread {
      guard let raw = UnsafeRawPointer(bitPattern: bits) else { return }
      Unmanaged<Lock>.fromOpaque(raw).takeUnretainedValue().lock()
    }.join()
    pointer.release()
    #expect(statistics("test.abandoned.released")?.acquisitionsTotal == 1)
  }
}
