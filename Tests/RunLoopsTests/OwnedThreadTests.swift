import Glibc
import Locks
import RunLoops
import Testing

@Suite struct OwnedThreadTests {
  @Test(arguments: [
    ("worker-1", "worker-1"), ("", ""), ("0123456789abcdefgh", "0123456789abcde"), ("ααααααααα", "ααααααα"),
    ("12345678901234€", "12345678901234"), ("a\0b", "a"),
  ])
  func nameIsKeptTo15BytesAndVisible(_ given: String, _ kept: String) throws {
    let comm = Locked("test", "")
    let thread = try start(given) {
      let text = readFile("/proc/self/task/\(OwnedThread.current?.tid ?? 0)/comm")
      comm.withLock { $0 = text }
    }
    thread.join()
    #expect(thread.name == kept)
    #expect(comm.withLock { $0 } == kept + "\n")
  }

  @Test func stackHasTheSizeAskedForInWholePages() throws {
    let size = Locked("test", 0)
    // Larger than the others, which the C library would hand on to this thread from its cache.
    let options = ThreadOptions(stackSize: 20_000_000, guardSize: 100_000)
    let thread = try OwnedThread.start(options) {
      let measured = OwnedThread.currentStackSize()
      size.withLock { $0 = measured }
    }
    thread.join()
    let page = sysconf(Int32(_SC_PAGESIZE))
    #expect(thread.stackSize == (20_000_000 + page - 1) / page * page)
    #expect(size.withLock { $0 } == thread.stackSize)
  }

  @Test func badOptionsAreRefused() throws {
    func code(_ options: ThreadOptions) -> ThreadError.Code? {
      do {
        try OwnedThread.start(options) {}.join()
        return nil
      } catch {
        return error.code
      }
    }
    let minimum = max(sysconf(Int32(_SC_THREAD_STACK_MIN)), 16384)
    #expect(code(ThreadOptions(stackSize: minimum - 1)) == .badStackSize(bytes: minimum - 1, minimum: minimum))
    #expect(code(ThreadOptions(stackSize: .max)) == .badStackSize(bytes: .max, minimum: minimum))
    #expect(code(ThreadOptions(guardSize: -1)) == .badGuardSize(bytes: -1))
    #expect(code(ThreadOptions(niceness: 20)) == .badNiceness(20))
    #expect(code(ThreadOptions(stackSize: minimum, guardSize: 0)) == nil)
  }

  @Test func moreStackThanThereIsMemoryIsAnErrorOfResources() throws {
    let error = #expect(throws: ThreadError.self) {
      // Address space for hundreds of these is not to be had.
      var threads: [OwnedThread] = []
      let gate = Gate()
      defer {
        gate.open()
        for thread in threads { thread.join() }
      }
      for _ in 0..<256 {
        threads.append(try OwnedThread.start(ThreadOptions(name: "huge", stackSize: 1 << 40)) { gate.wait() })
      }
    }
    #expect(error?.code == .resourcesExhausted(errno: EAGAIN))
    #expect(error?.description.contains("\"huge\"") ?? false)
    #expect(error?.description.contains("(error 11)") ?? false)
  }

  @Test func nicenessIsSet() throws {
    let own = getpriority(Int32(PRIO_PROCESS.rawValue), 0)
    let field = Locked("test", "")
    let wanted = min(Int(own) + 3, 19)
    let thread = try OwnedThread.start(ThreadOptions(niceness: wanted)) {
      let stat = readFile("/proc/self/task/\(OwnedThread.current?.tid ?? 0)/stat")
      let afterName = stat.split(separator: ")").last ?? ""
      let nice = afterName.split(separator: " ").dropFirst(16).first.map { String($0) } ?? ""
      field.withLock { $0 = nice }
    }
    thread.join()
    #expect(field.withLock { $0 } == "\(wanted)")
    #expect(thread.nicenessError == 0)
  }

  // AddressSanitizer makes threads itself, with a signal mask of its own.
  @Test(.enabled(if: dlsym(nil, "__asan_init") == nil))
  func signalsAreBlockedBeforeTheFirstHookExceptThoseOfFaults() throws {
    let blocked = Locked<[Int32]>("test", [])
    let hook: @Sendable () -> Void = {
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      let those = [SIGTERM, SIGINT, SIGUSR1, SIGPIPE, SIGSEGV, SIGILL, SIGABRT].filter { sigismember(&mask, $0) == 1 }
      blocked.withLock { $0 = those }
    }
    try OwnedThread.start(ThreadOptions(startHooks: [hook])) {}.join()
    #expect(blocked.withLock { $0 } == [SIGTERM, SIGINT, SIGUSR1, SIGPIPE])
  }

  @Test func hooksBodyAndEndComeInOrder() throws {
    let record = Record()
    let options = ThreadOptions(
      startHooks: [{ record.add("start 1") }, { record.add("start 2") }],
      endHooks: [{ record.add("end 1") }, { record.add("end 2") }])
    let held = Noted { record.add("body released") }
    let thread = try OwnedThread.start(options) { [held] in withExtendedLifetime(held) { record.add("body") } }
    thread.join()
    #expect(thread.isFinished)
    withExtendedLifetime(held) {}
    #expect(record.all == ["start 1", "start 2", "body", "end 1", "end 2"])
  }

  @Test func bodyIsReleasedOnItsThreadBeforeTheEndHooks() throws {
    let record = Record()
    let options = ThreadOptions(name: "own", endHooks: [{ record.add("end hook") }])
    var body: (@Sendable () -> Void)? = { [held = Noted { record.add("released on \(currentName())") }] in
      withExtendedLifetime(held) {}
    }
    let gate = Gate()
    let thread = try OwnedThread.start(options) { [body] in
      gate.wait()
      body?()
    }
    body = nil
    gate.open()
    thread.join()
    #expect(record.all == ["released on own", "end hook"])
  }

  @Test func currentIsKnownOnOwnedThreadsOnly() throws {
    let matches = Locked("test", false)
    let shared = Locked<OwnedThread?>("test", nil)
    let gate = Gate()
    let thread = try start {
      gate.wait()
      let expected = shared.withLock { $0 }
      let same = OwnedThread.current === expected && OwnedThread.current != nil
      matches.withLock { $0 = same }
    }
    shared.withLock { $0 = thread }
    gate.open()
    thread.join()
    shared.withLock { $0 = nil }
    #expect(matches.withLock { $0 })
    #expect(OwnedThread.current == nil)
  }

  @Test func cancelIsAFlag() throws {
    let gate = Gate()
    let seen = Locked<[Bool]>("test", [])
    let thread = try start {
      let before = OwnedThread.current?.isCancelled ?? true
      OwnedThread.current?.cancel()
      let after = OwnedThread.current?.isCancelled ?? false
      seen.withLock { $0 = [before, after] }
      gate.open()
    }
    gate.wait()
    thread.join()
    #expect(seen.withLock { $0 } == [false, true])
    #expect(thread.isCancelled)
  }

  @Test func figuresAreThereWhileTheThreadLives() throws {
    let started = Gate()
    let end = Gate()
    let thread = try start {
      var sum: UInt64 = 0
      for number in 0..<200_000 as Range<UInt64> { sum &+= number &* number }
      precondition(sum != 1)
      started.open()
      end.wait()
    }
    started.wait()
    let used = thread.cpuNanoseconds() ?? -1
    #expect(used > 0)
    #expect((thread.cpuNanoseconds() ?? -1) >= used)
    spin { thread.schedulerState() == "S" }
    end.open()
    thread.join()
    #expect(thread.cpuNanoseconds() == nil)
    #expect(thread.schedulerState() == nil)
    #expect(thread.tid != 0)
  }

  @Test func oneThousandThreadsLeaveNothingBehind() async {
    // In a process of its own, because other tests come and go.
    await #expect(processExitsWith: .success) {
      func round(_ count: Int, _ joinable: Bool) throws {
        let ended = Counter()
        for index in 0..<count {
          let options = ThreadOptions(stackSize: 64 << 10, isJoinable: joinable)
          let thread = try OwnedThread.start(options) {
            let ends = makePipe()
            let loop = ThreadRunLoop.current
            loop.add(DescriptorSource(descriptor: ends.reading, events: .readable) { _ in }, to: .default)
            loop.run(until: .distantPast)
            close(ends.reading)
            close(ends.writing)
            ended.increment()
          }
          // Every other one is left to its last reference.
          if joinable && index % 2 == 0 { thread.join() } else { spin { thread.isFinished } }
        }
        precondition(ended.value == count)
      }
      try round(10, true)
      let tasks = countEntries("/proc/self/task")
      let descriptors = countEntries("/proc/self/fd")
      let areas = countLines("/proc/self/maps")
      try round(1000, true)
      try round(200, false)
      // The test library's own threads, and what they open, may come meanwhile: a few, and not one for each of ours.
      spin { countEntries("/proc/self/task") < tasks + 8 }
      precondition(countEntries("/proc/self/fd") < descriptors + 8)
      // The stacks too are given back; the C library keeps some for later.
      precondition(countLines("/proc/self/maps") < areas + 300)
    }
  }

  @Test func misuseOfJoinEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let thread = try start {}
      thread.join()
      thread.join()
    }
    await #expect(processExitsWith: .failure) {
      try OwnedThread.start(ThreadOptions(isJoinable: false)) {}.join()
    }
    await #expect(processExitsWith: .failure) {
      try start { OwnedThread.current?.join() }.join()
    }
  }
}

func currentName() -> String { OwnedThread.current?.name ?? "none" }

/// Says so when it goes.
final class Noted: Sendable {
  private let atEnd: @Sendable () -> Void

  init(_ atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }

  deinit { atEnd() }
}
