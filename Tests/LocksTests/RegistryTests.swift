import Glibc
@testable import Locks
import Synchronization
import Testing

@Suite struct RegistryTests {
  @Test func totalsSurviveTheLocks() {
    do {
      let lock = Lock("test.survives")
      lock.withLock { _ = lock.tryLock() }
      #expect(statistics("test.survives")?.instances == 1)
    }
    #expect(statistics("test.survives")?.instances == 0)
    #expect(statistics("test.survives")?.acquisitionsTotal == 1)
    #expect(statistics("test.survives")?.tryFailuresTotal == 1)
    Lock("test.survives").withLock {}
    #expect(statistics("test.survives")?.acquisitionsTotal == 2)
  }

  @Test func locksOfOneNameAreOneRow() {
    var locks = (0..<5).map { _ in Lock("test.same") }
    for lock in locks { lock.withLock {} }
    let condition = Condition("test.same", lock: locks[0])
    #expect(LockRegistry.snapshot().count { $0.name == "test.same" } == 2, "one for each kind")
    #expect(statistics("test.same")?.instances == 5)
    #expect(statistics("test.same")?.acquisitionsTotal == 5)
    #expect(statistics("test.same", .condition)?.instances == 1)
    // From the middle of the list, from its ends, and a new one.
    for index in [2, 3, 0] { locks.remove(at: index) }
    #expect(statistics("test.same")?.instances == 3, "the condition keeps the first one alive")
    locks.append(Lock("test.same"))
    for lock in locks { lock.withLock {} }
    #expect(statistics("test.same")?.instances == 4)
    #expect(statistics("test.same")?.acquisitionsTotal == 8)
    withExtendedLifetime(condition) {}
  }

  @Test func theOwnerShownIsTheOneWithWaiters() {
    let locks = (0..<3).map { _ in Lock("test.owners") }
    let isHeld = Atomic(false)
    let release = Atomic(false)
    locks[0].lock()
    withExtendedLifetime(locks) {
      let owner = TestThread {
        ThreadRecord.setCurrentName("wanted")
        locks[1].withLock {
          isHeld.store(true, ordering: .releasing)
          while !release.load(ordering: .acquiring) { sched_yield() }
        }
      }
      eventually("is held") { isHeld.load(ordering: .acquiring) }
      let waiter = TestThread { locks[1].withLock {} }
      eventually("is waited for") { waiters("test.owners") == 1 }
      #expect(statistics("test.owners")?.owner?.name == "wanted")
      release.store(true, ordering: .releasing)
      owner.join()
      waiter.join()
    }
    #expect(statistics("test.owners")?.owner?.tid == currentTID())
    locks[0].unlock()
  }

  @Test func rowsAreSorted() {
    let locks = ["test.sort.b", "test.sort.a"].map { Lock($0) }
    let names = LockRegistry.snapshot().map(\.name)
    #expect(names == names.sorted())
    withExtendedLifetime(locks) {}
  }

  @Test func totalsNeverGoDownWhileLocksComeAndGo() {
    let done = Atomic(0)
    let threads = (0..<2).map { _ in
      TestThread {
        for _ in 0..<3_000 { Lock("test.churn").withLock {} }
        done.wrappingAdd(1, ordering: .releasing)
      }
    }
    var last: UInt64 = 0
    while done.load(ordering: .acquiring) < 2 {
      let total = statistics("test.churn")?.acquisitionsTotal ?? 0
      #expect(total >= last)
      last = total
    }
    for thread in threads { thread.join() }
    #expect(statistics("test.churn")?.acquisitionsTotal == 6_000)
    #expect(statistics("test.churn")?.instances == 0)
  }

  @Test func recordsOfThreadsThatEndAreUsedAgain() {
    func records() -> Int { registry.mutex.withLock { registry.records.count } }
    // Half of the threads say goodbye, half just end.
    for index in 0..<20 {
      TestThread {
        ThreadRecord.setCurrentName("short")
        if index % 2 == 0 { ThreadRecord.retire() }
      }.join()
    }
    let before = records()
    for index in 0..<1_000 {
      TestThread {
        ThreadRecord.setCurrentName("short")
        if index % 2 == 0 { ThreadRecord.retire() }
      }.join()
    }
    // Other tests run meanwhile, and start a few dozen threads in all.
    #expect(records() - before < 100)
  }

  @Test func aRecordUsedAgainHasNotTheOldName() {
    let lock = Lock("test.reused")
    lock.lock()
    let thread = TestThread {
      ThreadRecord.setCurrentName("old name")
      ThreadRecord.retire()
      let file = open("/proc/self/task/\(currentTID())/comm", O_WRONLY)
      #expect(write(file, "kernel's name", 13) == 13)
      close(file)
      lock.withLock {}
    }
    eventually("waits") { waiters("test.reused") == 1 }
    #expect(statistics("test.reused")?.waiters == ["kernel's name"])
    lock.unlock()
    thread.join()
  }

  @Test func snapshotsWhileManyThreadsContend() {
    let locks = (0..<3).map { Lock("test.busy.\($0)") }
    let done = Atomic(0)
    let threads = (0..<4).map { index in
      TestThread {
        for turn in 0..<5_000 { locks[(turn + index) % 3].withLock {} }
        done.wrappingAdd(1, ordering: .releasing)
      }
    }
    while done.load(ordering: .acquiring) < 4 {
      for wait in LockWaits.snapshot().values { #expect(wait.elapsedSeconds >= 0) }
      for row in LockRegistry.snapshot() { #expect(row.owner?.heldForSeconds ?? 0 >= 0) }
    }
    for thread in threads { thread.join() }
    for index in 0..<3 {
      let row = statistics("test.busy.\(index)")
      #expect(row?.waits.count == row?.contentionsTotal)
      #expect(row?.waitersNow == 0)
    }
    #expect((0..<3).reduce(0) { $0 + (statistics("test.busy.\($1)")?.acquisitionsTotal ?? 0) } == 20_000)
    withExtendedLifetime(locks) {}
  }
}
