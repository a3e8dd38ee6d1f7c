import CPlatform
import Glibc
import Locks
import RunLoops
import Synchronization
import Testing

/// A driver that waits in an epoll set of its own, as the leader of a lane does.
@Suite struct PollingTests {
  /// An epoll set with a pipe that stands for the lane's work, and an eventfd that wakes who waits in the
  /// set.
  final class Lane: Sendable {
    let set = epoll_create1(Int32(EPOLL_CLOEXEC))
    let wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    let pipe = makePipe()

    init(hasWake: Bool = true) {
      add(pipe.reading, EPOLLIN.rawValue)
      // Edge-triggered: nobody reads it.
      if hasWake { add(wake, EPOLLIN.rawValue | EPOLLET.rawValue) }
    }

    deinit { for descriptor in [set, wake, pipe.reading, pipe.writing] { close(descriptor) } }

    private func add(_ descriptor: Int32, _ events: UInt32) {
      var event = epoll_event()
      event.events = events
      let result = epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event)
      precondition(result == 0)
    }
  }

  /// Polls the lane for ever; takes a byte of work per turn.
  final class Leader: RunLoopDriver, @unchecked Sendable {
    // Unchecked: only `turns` and `done` are used by other threads, and are atomic inside.
    let lane: Lane
    let turns = Counter()
    let done = Counter()
    let until: Int64

    init(_ lane: Lane, until: Int64 = .max) {
      self.lane = lane
      self.until = until
    }

    func turn(in loop: ThreadRunLoop) -> RunLoopVerdict {
      turns.increment()
      var ready = pollfd(fd: lane.pipe.reading, events: Int16(POLLIN), revents: 0)
      if poll(&ready, 1, 0) == 1 {
        readByte(lane.pipe.reading)
        done.increment()
        return .again
      }
      return .poll(descriptor: lane.set, until: until)
    }

    func willHandleMessages(in loop: ThreadRunLoop) {}
  }

  /// How the loop polls: in the driver's set, or in one of its own around it for one of two reasons.
  enum Form: CaseIterable {
    case direct
    case besideADescriptor
    case withoutWakeDescriptor
  }

  private func lead(
    _ form: Form, _ body: (ThreadRunLoop, Leader, (reading: Int32, writing: Int32), Counter) throws -> Void
  ) throws {
    let lane = Lane(hasWake: form != .withoutWakeDescriptor)
    let leader = Leader(lane)
    let other = makePipe()
    let handled = Counter()
    let made = Locked<ThreadRunLoop?>("test", nil)
    let gate = Gate()
    let thread = try start {
      let loop = ThreadRunLoop.current
      if form != .withoutWakeDescriptor { loop.setPollWakeDescriptor(lane.wake) }
      if form == .besideADescriptor {
        let source = DescriptorSource(descriptor: other.reading, events: .readable) { _ in
          readByte(other.reading)
          handled.increment()
        }
        loop.add(source, to: .default)
      }
      loop.setDriver(leader, modes: [.default])
      made.withLock { $0 = loop }
      gate.open()
      loop.run()
      loop.setPollWakeDescriptor(-1)
    }
    gate.wait()
    guard let loop = made.withLock({ $0 }) else { preconditionFailure("no loop") }
    try body(loop, leader, other, handled)
    loop.stop()
    thread.join()
    close(other.reading)
    close(other.writing)
  }

  @Test(arguments: Form.allCases)
  func workOfTheDriverEndsTheWait(_ form: Form) throws {
    try lead(form) { loop, leader, _, _ in
      for round in 1...300 {
        if round % 2 == 0 { spin { loop.isWaiting } }
        writeByte(leader.lane.pipe.writing)
        spin { leader.done.value == round }
      }
    }
  }

  @Test(arguments: Form.allCases)
  func messagesEndTheWait(_ form: Form) throws {
    try lead(form) { loop, leader, _, _ in
      for round in 0..<1000 {
        if round % 2 == 0 { spin { loop.isWaiting } }
        let answer = try loop.performAndWait { round }
        #expect(answer == round)
      }
    }
  }

  @Test func messageOnTheWayToThePollIsNotLost() throws {
    for form in Form.allCases {
      let asked = Atomic<Int>(0)
      let called = Atomic<Int>(0)
      try lead(form) { loop, leader, _, _ in
        try loop.performAndWait {
          loop.testHook = { point in
            guard point == .beforeWait, called.load(ordering: .acquiring) < 500 else { return }
            let round = asked.add(1, ordering: .acquiringAndReleasing).newValue
            spin { called.load(ordering: .acquiring) >= round }
          }
        }
        for round in 1...500 {
          spin { asked.load(ordering: .acquiring) >= round }
          loop.wakeUp()
          called.store(round, ordering: .releasing)
        }
      }
    }
  }

  @Test func sourcesOfTheLoopWorkBesideTheDriversDescriptor() throws {
    try lead(.besideADescriptor) { loop, leader, other, handled in
      for round in 1...200 {
        writeByte(other.writing)
        spin { handled.value == round }
        writeByte(leader.lane.pipe.writing)
        spin { leader.done.value == round }
      }
    }
  }

  @Test(arguments: Form.allCases)
  func waitingLeaderDoesNotSpin(_ form: Form) throws {
    try lead(form) { loop, leader, _, _ in
      for _ in 0..<50 {
        spin { loop.isWaiting }
        let before = leader.turns.value
        try loop.performAndWait {}
        spin { loop.isWaiting }
        // The turn of the message, and one if the wake-up descriptor was written after it had been handled.
        #expect(leader.turns.value <= before + 2)
      }
    }
  }

  @Test func pollIsBoundedByItsLimitAndByTimers() throws {
    let record = Record()
    try onThread { loop in
      let lane = Lane()
      let clock = ManualClock(1000)
      loop.setClock(clock)
      loop.testHook = { if $0 == .beforeWait { clock.advance(100) } }
      loop.setPollWakeDescriptor(lane.wake)
      let leader = Leader(lane, until: 1150)
      loop.setDriver(leader, modes: [.default])
      loop.add(
        RunLoopTimer(after: .nanoseconds(50)) { _ in record.add("timer after \(leader.turns.value)") }, to: .default)
      loop.run(returnAfterSourceHandled: true)
      record.add("\(loop.run(until: Deadline(nanoseconds: 1350))) after \(leader.turns.value)")
      loop.setDriver(nil)
      loop.setPollWakeDescriptor(-1)
    }
    #expect(record.all == ["timer after 1", "timedOut after 4"])
  }

  @Test func tokenIsSeenByAPollingLoop() throws {
    for form in Form.allCases {
      try lead(form) { loop, leader, _, _ in
        spin { loop.isWaiting }
        let before = leader.turns.value
        let debt = loop.deliverToken()
        #expect(debt.isOwed)
        debt.pay()
        spin { leader.turns.value > before }
        // Nobody else consumes it: the loop would not wait again.
        _ = try loop.performAndWait { loop.consumeToken() }
        spin { loop.isWaiting }
      }
    }
  }

  @Test func parkedLoopDoesNotWatchTheDriversDescriptor() throws {
    let record = Record()
    let lane = Lane()
    let other = makePipe()
    let made = Locked<ThreadRunLoop?>("test", nil)
    let gate = Gate()
    let thread = try start {
      let loop = ThreadRunLoop.current
      loop.setPollWakeDescriptor(lane.wake)
      loop.add(DescriptorSource(descriptor: other.reading, events: .readable) { _ in }, to: .default)
      let script = DriverTests.Script([
        { _ in .poll(descriptor: lane.set, until: 0) },
        { loop in
          // From now on the lane is somebody else's, and has work.
          writeByte(lane.pipe.writing)
          record.add("prepared \(loop.prepareToPark())")
          return .park(until: .max)
        },
        { _ in
          record.add("woken by somebody else's work")
          return .park(until: .max)
        },
      ])
      loop.setDriver(script, modes: [.default])
      made.withLock { $0 = loop }
      gate.open()
      loop.run()
      loop.setDriver(nil)
      loop.setPollWakeDescriptor(-1)
    }
    gate.wait()
    guard let loop = made.withLock({ $0 }) else { preconditionFailure("no loop") }
    spin { loop.isWaiting && thread.schedulerState() == "S" }
    loop.perform { loop.stop() }
    thread.join()
    #expect(record.all == ["prepared true"])
    close(other.reading)
    close(other.writing)
  }
}
