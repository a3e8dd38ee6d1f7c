import Glibc
import RunLoops
import Testing

@testable import WorkerPool

/// What a pool leaves behind, in a process of its own, where no other test opens or starts anything meanwhile.
@Suite struct WorkerPoolLeakTests {
  @Test func poolLeavesNoDescriptorAndNoThread() async {
    await #expect(processExitsWith: .success) {
      try oneLife()
      let (descriptors, threads) = (countEntries("/proc/self/fd"), countEntries("/proc/self/task"))
      for _ in 0..<20 { try oneLife() }
      precondition(countEntries("/proc/self/fd") == descriptors, "a descriptor was left open")
      // The test runner's own threads come and go, but not by twenties.
      precondition(countEntries("/proc/self/task") < threads + 20, "threads were left")
    }
  }
}

/// A pool with a lane, a timer and a descriptor source on its loops, that grows, shrinks and is drained.
private func oneLife() throws {
  let lane = FakeLane()
  let running = try RunningPool(min: 2, max: 5, idle: .milliseconds(10), lanes: [lane])
  let (gate, entered) = (Gate(), Counter())
  for _ in 0..<4 {
    lane.produce { worker in
      worker.loop.add(RunLoopTimer(after: .milliseconds(1), every: .milliseconds(1)) { $0.invalidate() }, to: .common)
      entered.increment()
      gate.wait()
    }
  }
  precondition(eventually { entered.value == 4 })
  gate.open()
  for loop in running.loops { try? loop.performAndWait {} }
  precondition(eventually { running.started == 2 })
  lane.drain()
  running.finish()
  precondition(lane.problems == [] && lane.isClosed)
}

private func countEntries(_ folder: String) -> Int {
  guard let stream = opendir(folder) else { return -1 }
  defer { closedir(stream) }
  var count = 0
  while readdir(stream) != nil { count += 1 }
  return count
}
