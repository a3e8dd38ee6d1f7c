import Glibc
import Locks
import RunLoops
import Synchronization
import Testing

/// No wake-up is lost, whichever way going to sleep and being called interleave. A lost one makes a test
/// hang.
@Suite struct ParkingTests {
  /// Where the loop sleeps.
  enum Place: CaseIterable {
    case word
    case epoll

    /// Makes the loop sleep there.
    func prepare(_ loop: ThreadRunLoop) {
      if self == .word { return }
      let ends = makePipe()
      loop.add(DescriptorSource(descriptor: ends.reading, events: .readable) { _ in }, to: .common)
      OwnedThread.current?[ParkingTests.pipeKey] = Noted {
        close(ends.reading)
        close(ends.writing)
      }
    }
  }

  static let pipeKey = ThreadLocalKey<Noted>()

  /// Has `call` made at a point of the loop's way to sleep, a thousand times, by a thread that the loop waits
  /// for there.
  private func force(_ point: RunLoopTestPoint, _ place: Place, _ call: @escaping @Sendable (ThreadRunLoop) -> Void)
    throws
  {
    let asked = Atomic<Int>(0)
    let called = Atomic<Int>(0)
    let target = try LoopThread { loop in
      place.prepare(loop)
      loop.testHook = { reached in
        guard reached == point, ThreadRunLoop.currentIfMade === loop, called.load(ordering: .acquiring) < 1000 else {
          return
        }
        let round = asked.add(1, ordering: .acquiringAndReleasing).newValue
        spin { called.load(ordering: .acquiring) >= round }
      }
    }
    for round in 1...1000 {
      spin { asked.load(ordering: .acquiring) >= round }
      call(target.loop)
      called.store(round, ordering: .releasing)
    }
    target.stop()
  }

  @Test(arguments: [RunLoopTestPoint.beforeParkCommit, .beforeWait, .whileTakingMessages], Place.allCases)
  func messageOnTheWayToSleepIsNotLost(_ point: RunLoopTestPoint, _ place: Place) throws {
    let handled = Counter()
    try force(point, place) { $0.perform { handled.increment() } }
    #expect(handled.value == 1000)
  }

  @Test(arguments: [RunLoopTestPoint.beforeParkCommit, .beforeWait], Place.allCases)
  func wakeUpOnTheWayToSleepIsNotLost(_ point: RunLoopTestPoint, _ place: Place) throws {
    // Each call makes the loop come by once more, which is what the next round waits for.
    try force(point, place) { $0.wakeUp() }
  }

  @Test(arguments: Place.allCases)
  func messageWhoseBitComesLateFindsTheLoopAsleep(_ place: Place) throws {
    let handled = Counter()
    let target = try LoopThread { loop in
      place.prepare(loop)
      loop.testHook = { point in
        // The message is in the mailbox, the loop has looked there and sleeps.
        if point == .beforeMessageBit, handled.value < 1000 { spin { loop.isWaiting } }
      }
    }
    for round in 1...1000 {
      target.loop.perform { handled.increment() }
      spin { handled.value == round }
    }
    target.stop()
  }

  @Test(arguments: Place.allCases)
  func wakeUpPaidLateDoesNoHarm(_ place: Place) throws {
    let driven = try DrivenThread { place.prepare($0) }
    var late: [WakeUpDebt] = []
    for _ in 0..<200 {
      spin { driven.driver.isParked }
      late.append(driven.driver.submitOwing())
      // A message brings the loop up before the debt is paid.
      try driven.loop.performAndWait {}
    }
    spin { driven.driver.isParked }
    for debt in late { debt.pay() }
    driven.stop()
    for debt in late { debt.pay() }
    #expect(driven.driver.done == 200)
    #expect(driven.driver.tokens == 200)
  }

  @Test(arguments: [RunLoopTestPoint.beforeParkCommit, .beforeWait], Place.allCases)
  func tokenOnTheWayToSleepIsNotLost(_ point: RunLoopTestPoint, _ place: Place) throws {
    let asked = Atomic<Int>(0)
    let called = Atomic<Int>(0)
    let driven = try DrivenThread { loop in
      place.prepare(loop)
      loop.testHook = { reached in
        guard reached == point, ThreadRunLoop.currentIfMade === loop, called.load(ordering: .acquiring) < 1000 else {
          return
        }
        let round = asked.add(1, ordering: .acquiringAndReleasing).newValue
        // Before the commit the driver's lock is held, so there the caller can only be on its way.
        if point == .beforeWait { spin { called.load(ordering: .acquiring) >= round } }
      }
    }
    for round in 1...1000 {
      spin { asked.load(ordering: .acquiring) >= round }
      driven.driver.submit()
      called.store(round, ordering: .releasing)
    }
    spin { driven.driver.isParked }
    driven.stop()
    #expect(driven.driver.done == 1000)
  }

  @Test(arguments: Place.allCases)
  func oneHundredThousandMessagesComeThrough(_ place: Place) throws {
    let target = try LoopThread { place.prepare($0) }
    let handled = Counter()
    let senders = try (0..<2).map { sender in
      try start {
        for number in 0..<50_000 {
          target.loop.perform { handled.increment() }
          // Lets the loop catch up and go to sleep now and then.
          if number % 64 == sender { spin { target.loop.isWaiting } }
        }
      }
    }
    for sender in senders { sender.join() }
    spin { handled.value == 100_000 }
    target.stop()
  }

  @Test(arguments: Place.allCases)
  func tokensAndMessagesTogetherComeThrough(_ place: Place) throws {
    let driven = try DrivenThread { place.prepare($0) }
    let handled = Counter()
    let source = CustomSource("source") { handled.increment() }
    driven.loop.add(source, to: .default)
    let senders = try (0..<3).map { sender in
      try start {
        for number in 0..<20_000 {
          switch sender {
          case 0: driven.driver.submit()
          case 1: driven.loop.perform { handled.increment() }
          default: if number % 2 == 0 { source.signal() } else { driven.loop.wakeUp() }
          }
          if number % 128 == sender { spin { driven.driver.isParked } }
        }
      }
    }
    for sender in senders { sender.join() }
    try driven.loop.performAndWait {}
    spin { driven.driver.isParked }
    driven.stop()
    #expect(driven.driver.done == 20_000)
    #expect(handled.value >= 20_000)
    #expect(driven.driver.phase == .awake)
    #expect(driven.driver.tokens <= driven.driver.parks)
  }

  @Test(arguments: Place.allCases)
  func sleepingLoopMakesNoContextSwitch(_ place: Place) throws {
    let driven = try DrivenThread { place.prepare($0) }
    let plain = try LoopThread { place.prepare($0) }
    for (thread, loop) in [(driven.thread, driven.loop), (plain.thread, plain.loop)] {
      spin { loop.isWaiting && thread.schedulerState() == "S" }
      let before = switches(thread.tid)
      // The one place where real time passes: long enough that any poll would show.
      usleep(200_000)
      #expect(switches(thread.tid) == before)
      #expect(before > 0)
    }
    driven.stop()
    plain.stop()
  }

  private func switches(_ tid: Int32) -> Int {
    let status = readFile("/proc/self/task/\(tid)/status")
    return status.split(separator: "\n").filter { $0.contains("ctxt_switches") }
      .reduce(0) { $0 + (Int($1.split(whereSeparator: \.isWhitespace).last ?? "") ?? 0) }
  }

  @Test(arguments: Place.allCases)
  func signalDoesNotEndASleep(_ place: Place) throws {
    let handle = Locked("test", pthread_t())
    let target = try LoopThread { loop in
      place.prepare(loop)
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGUSR2)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      let own = pthread_self()
      handle.withLock { $0 = own }
    }
    // Without SA_RESTART: otherwise the kernel itself would go on with the futex.
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    sigaction(SIGUSR2, &action, nil)
    let before = target.loop.statistics.iterationsTotal
    spin { target.loop.isWaiting && target.thread.schedulerState() == "S" }
    for _ in 0..<20 {
      let switchesBefore = switches(target.thread.tid)
      pthread_kill(handle.withLock { $0 }, SIGUSR2)
      // It has come up for the signal and sleeps again.
      spin { switches(target.thread.tid) > switchesBefore && target.thread.schedulerState() == "S" }
    }
    #expect(target.loop.statistics.iterationsTotal <= before + 1)
    #expect(target.loop.statistics.waitsTotal == 1)
    #expect(try target.loop.performAndWait { 3 } == 3)
    target.stop()
  }
}
