import Glibc
import Locks
import RunLoops
import Synchronization

/// Opened once, and passed by all who wait.
final class Gate: Sendable {
  private let lock = Lock("test.gate")
  private let condition: Condition
  private let isOpen = Atomic<Bool>(false)

  init() { condition = Condition("test.gate", lock: lock) }

  func open() {
    lock.withLock {
      isOpen.store(true, ordering: .relaxed)
      condition.broadcast()
    }
  }

  func wait() {
    lock.withLock {
      while !isOpen.load(ordering: .relaxed) { condition.wait() }
    }
  }
}

/// What happened, in order.
final class Record: Sendable {
  private let entries = Locked<[String]>("test.record", [])

  func add(_ entry: String) { entries.withLock { $0.append(entry) } }

  var all: [String] { entries.withLock { $0 } }
}

final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  @discardableResult func increment() -> Int { count.add(1, ordering: .acquiringAndReleasing).newValue }

  var value: Int { count.load(ordering: .acquiring) }
}

/// A clock that stands still until it is moved.
final class ManualClock: RunLoopClock {
  private let time: Atomic<Int64>

  init(_ start: Int64 = 1000) { time = Atomic(start) }

  func now() -> Int64 { time.load(ordering: .acquiring) }

  func advance(_ nanoseconds: Int64) { time.add(nanoseconds, ordering: .acquiringAndReleasing) }
}

func start(_ name: String = "test", _ body: @escaping @Sendable () -> Void) throws -> OwnedThread {
  try OwnedThread.start(ThreadOptions(name: name), body)
}

/// Runs `body` on a thread of its own, with a fresh run loop, and returns its result.
func onThread<Value: Sendable>(_ body: @escaping @Sendable (ThreadRunLoop) throws -> Value) throws -> Value {
  let result = Locked<Result<Value, any Error>?>("test.result", nil)
  try start {
    let outcome = Result { try body(ThreadRunLoop.current) }
    result.withLock { $0 = outcome }
  }.join()
  guard let outcome = result.withLock({ $0 }) else { preconditionFailure("the thread gave no result") }
  return try outcome.get()
}

/// A thread whose loop runs until it is stopped.
final class LoopThread: Sendable {
  let loop: ThreadRunLoop
  let thread: OwnedThread

  init(_ prepare: @escaping @Sendable (ThreadRunLoop) -> Void = { _ in }) throws {
    let made = Locked<ThreadRunLoop?>("test.loop", nil)
    let gate = Gate()
    thread = try start {
      let loop = ThreadRunLoop.current
      loop.add(CustomSource("keeps the loop running") {}, to: .common)
      prepare(loop)
      made.withLock { $0 = loop }
      gate.open()
      loop.run()
    }
    gate.wait()
    guard let loop = made.withLock({ $0 }) else { preconditionFailure("the thread has no loop") }
    self.loop = loop
  }

  func stop() {
    loop.stop()
    thread.join()
  }
}

/// Lets other threads run until a condition holds that another thread is sure to make true.
func spin(until condition: () -> Bool) {
  while !condition() { sched_yield() }
}

func readFile(_ path: String) -> String {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  if descriptor < 0 { return "" }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 8192)
  let count = read(descriptor, &bytes, bytes.count)
  return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
}

func countLines(_ path: String) -> Int {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 65536)
  var lines = 0
  while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
    lines += bytes[..<count].count { $0 == UInt8(ascii: "\n") }
  }
  return lines
}

func countEntries(_ folder: String) -> Int {
  guard let stream = opendir(folder) else { return -1 }
  defer { closedir(stream) }
  var count = 0
  while readdir(stream) != nil { count += 1 }
  return count
}

func makePipe() -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [-1, -1]
  let result = pipe(&ends)
  precondition(result == 0, "pipe failed with error \(errno)")
  return (ends[0], ends[1])
}

func writeByte(_ descriptor: Int32) {
  var byte: UInt8 = 1
  let count = write(descriptor, &byte, 1)
  precondition(count == 1, "write failed with error \(errno)")
}

func readByte(_ descriptor: Int32) {
  var byte: UInt8 = 0
  let count = read(descriptor, &byte, 1)
  precondition(count == 1, "read failed with error \(errno)")
}
