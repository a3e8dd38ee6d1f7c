import Locks
import RunLoops

/// A driver as the pool's worker is one: takes items of work under a lock, parks on a stack of one, and is
/// called by token.
final class StackDriver: RunLoopDriver, @unchecked Sendable {
  // Unchecked: the work is guarded by `lock`; `phase` and the counts belong to the loop's thread and are read
  // after its end.
  enum Phase: Equatable {
    case awake
    case parked
  }

  let loop: ThreadRunLoop
  private let lock = Lock("test.driver")
  private var work = 0
  private var isOnStack = false
  private(set) var done = 0
  private(set) var tokens = 0
  private(set) var parks = 0
  private(set) var toldOfMessages = 0
  private(set) var toldWhileParked = 0
  private(set) var phase = Phase.awake
  private var wasCalled = false

  init(_ loop: ThreadRunLoop) { self.loop = loop }

  /// Any thread: hands in an item, and calls the loop if it is on the stack. Returns the debt.
  func submitOwing() -> WakeUpDebt {
    lock.withLock {
      work += 1
      guard isOnStack else { return .none }
      isOnStack = false
      return loop.deliverToken()
    }
  }

  func submit() { submitOwing().pay() }

  /// Whether the loop may be called by token now.
  var isParked: Bool { lock.withLock { isOnStack } }

  func turn(in loop: ThreadRunLoop) -> RunLoopVerdict {
    lock.withLock {
      if phase == .parked {
        if loop.consumeToken() {
          precondition(!isOnStack, "a token without being called")
          tokens += 1
          wasCalled = true
          phase = .awake
        } else {
          return .park(until: .max)
        }
      }
      if work > 0 {
        work -= 1
        done += 1
        wasCalled = false
        return .again
      }
      precondition(!wasCalled, "called for nothing")
      guard loop.prepareToPark() else { return .again }
      phase = .parked
      isOnStack = true
      parks += 1
      return .park(until: .max)
    }
  }

  func willHandleMessages(in loop: ThreadRunLoop) {
    toldOfMessages += 1
    guard phase == .parked else { return }
    toldWhileParked += 1
    lock.withLock {
      phase = .awake
      if loop.consumeToken() {
        tokens += 1
        wasCalled = true
      } else {
        precondition(isOnStack, "off the stack without a token")
        isOnStack = false
        loop.cancelPark()
      }
    }
  }
}

/// A loop thread with a `StackDriver`.
struct DrivenThread {
  let loop: ThreadRunLoop
  let driver: StackDriver
  let thread: OwnedThread

  init(_ prepare: @escaping @Sendable (ThreadRunLoop) -> Void = { _ in }) throws {
    let made = Locked<StackDriver?>("test", nil)
    let gate = Gate()
    thread = try start {
      let loop = ThreadRunLoop.current
      let driver = StackDriver(loop)
      prepare(loop)
      loop.setDriver(driver, modes: [.default])
      made.withLock { $0 = driver }
      gate.open()
      loop.run()
      loop.setDriver(nil)
    }
    gate.wait()
    guard let driver = made.withLock({ $0 }) else { preconditionFailure("the thread has no driver") }
    self.driver = driver
    loop = driver.loop
  }

  func stop() {
    loop.stop()
    thread.join()
  }
}
