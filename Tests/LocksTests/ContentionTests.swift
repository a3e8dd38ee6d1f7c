import Glibc
@testable import Locks
import Synchronization
import Testing

@Suite struct ContentionTests {
  @Test func oneForcedContentionIsCountedOnce() throws {
    let lock = Lock("test.contention")
    lock.lock()
    let thread = TestThread { lock.withLock {} }
    eventually("the thread waits") { waiters("test.contention") == 1 }
    #expect(statistics("test.contention")?.contentionsTotal == 1)
    #expect(statistics("test.contention")?.waitersNow == 1)
    lock.unlock()
    thread.join()
    let row = try #require(statistics("test.contention"))
    #expect(row.acquisitionsTotal == 2)
    #expect(row.contentionsTotal == 1)
    #expect(row.waits.count == 1)
    #expect(row.waitersNow == 0)
    #expect(row.owner == nil)
    #expect(row.waitSecondsTotal > 0)
    #expect(row.waitSecondsTotal == row.waitSecondsMax)
    #expect(row.waits.quantile(1) == row.waitSecondsMax)
    #expect(row.holdSecondsMax > 0)
  }

  @Test func aWaiterShowsWhatItWaitsForAndWhoHasIt() {
    let lock = Lock("test.waits")
    let release = Atomic(false)
    let ownerTID = Atomic<Int32>(0)
    let waiterTID = Atomic<Int32>(0)
    let owner = TestThread {
      ThreadRecord.setCurrentName("the owner")
      lock.withLock {
        ownerTID.store(currentTID(), ordering: .releasing)
        while !release.load(ordering: .acquiring) { sched_yield() }
      }
    }
    eventually("is held") { ownerTID.load(ordering: .acquiring) != 0 }
    let waiter = TestThread {
      ThreadRecord.setCurrentName("the waiter")
      waiterTID.store(currentTID(), ordering: .releasing)
      lock.withLock {}
    }
    eventually("the thread waits") { waiters("test.waits") == 1 }
    let wait = LockWaits.snapshot()[waiterTID.load(ordering: .acquiring)]
    #expect(wait?.lockName == "test.waits")
    #expect(wait?.kind == .mutex)
    #expect(wait?.ownerTID == ownerTID.load(ordering: .acquiring))
    #expect(wait?.ownerName == "the owner")
    #expect(wait?.elapsedSeconds ?? 0 > 0)
    #expect(LockWaits.snapshot()[ownerTID.load(ordering: .acquiring)] == nil)
    let row = statistics("test.waits")
    #expect(row?.owner?.name == "the owner")
    #expect(row?.owner?.tid == wait?.ownerTID)
    #expect(row?.waiters == ["the waiter"])
    release.store(true, ordering: .releasing)
    owner.join()
    waiter.join()
  }

  @Test func theFirstWaiterMakesKnownHowLongTheLockIsHeld() throws {
    let lock = Lock("test.held")
    lock.withLock {}  // The first acquisition is measured.
    lock.lock()
    #expect(statistics("test.held")?.owner != nil)
    #expect(statistics("test.held")?.owner?.heldForSeconds == nil, "nobody waits, nobody looked at the clock")
    let thread = TestThread { lock.withLock {} }
    eventually("the thread waits") { statistics("test.held")?.owner?.heldForSeconds != nil }
    eventually("the thread waits") { waiters("test.held") == 1 }
    let wait = try #require(LockWaits.snapshot().values.first { $0.lockName == "test.held" })
    let held = try #require(statistics("test.held")?.owner?.heldForSeconds)
    #expect(held >= wait.elapsedSeconds)
    lock.unlock()
    thread.join()
  }

  @Test func whoTakesTheLockBeforeASleeperMakesKnownHowLongItIsHeld() {
    let lock = Lock("test.overtaken")
    lock.lock()
    let thread = TestThread { lock.withLock {} }
    eventually("the thread waits") { waiters("test.overtaken") == 1 }
    // Gives the lock up and takes it again until that succeeds before the woken thread is there. If it never does, the
    // thread is through, and there is nothing to see.
    var overtook = false
    while !overtook, waiters("test.overtaken") == 1 {
      lock.unlock()
      overtook = lock.tryLock()
    }
    if overtook, waiters("test.overtaken") == 1 {
      #expect(statistics("test.overtaken")?.owner?.heldForSeconds != nil)
    }
    if overtook { lock.unlock() }
    thread.join()
  }

  @Test func holdTimeIsSampled() {
    let lock = Lock("test.sampled")
    // The first is measured, then one in each period.
    lock.withLock {}
    let first = statistics("test.sampled")?.holdSecondsMax ?? 0
    #expect(first > 0)
    for _ in 1..<LockInstruments.holdSamplingPeriod {
      lock.lock()
      #expect(statistics("test.sampled")?.owner?.heldForSeconds == nil)
      lock.unlock()
    }
    #expect(statistics("test.sampled")?.holdSecondsMax == first)
    lock.lock()
    #expect(statistics("test.sampled")?.owner?.heldForSeconds != nil)
    lock.unlock()
  }

  @Test func aWaitIsCountedWhenTheLockIsReleased() {
    let (lock, next) = (Lock("test.released"), Lock("test.released.next"))
    lock.lock()
    next.lock()
    let thread = TestThread {
      lock.withLock {}
      next.withLock {}
    }
    eventually("waits for the first lock") { waiters("test.released") == 1 }
    lock.unlock()
    // The thread neither ends nor has the second lock yet.
    eventually("waits for the second lock") { waiters("test.released.next") == 1 }
    #expect(statistics("test.released")?.waits.count == 1)
    next.unlock()
    thread.join()
  }

  @Test func aNestedContentionDoesNotLoseTheOuterOne() {
    let (outer, inner) = (Lock("test.outer"), Lock("test.inner"))
    outer.lock()
    inner.lock()
    let thread = TestThread { outer.withLock { inner.withLock {} } }
    eventually("waits for the outer lock") { waiters("test.outer") == 1 }
    outer.unlock()
    eventually("waits for the inner lock") { waiters("test.inner") == 1 }
    inner.unlock()
    thread.join()
    #expect(statistics("test.outer")?.waits.count == 1)
    #expect(statistics("test.inner")?.waits.count == 1)
  }
}
