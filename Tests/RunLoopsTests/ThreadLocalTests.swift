import Locks
import RunLoops
import Testing

@Suite struct ThreadLocalTests {
  static let number = ThreadLocalKey<Int>()
  static let text = ThreadLocalKey<String>()
  static let object = ThreadLocalKey<Noted>()

  @Test func eachThreadHasItsOwnValues() throws {
    let seen = try onThread { _ in
      let thread = OwnedThread.current
      let before = thread?[Self.number]
      thread?[Self.number] = 7
      thread?[Self.text] = "seven"
      let inner = try onThread { _ in OwnedThread.current?[Self.number] }
      let after = thread?[Self.number]
      let text = thread?[Self.text]
      thread?[Self.number] = nil
      return [before.description, inner.description, after.description, text ?? "", thread?[Self.number].description]
    }
    #expect(seen == ["nil", "nil", "Optional(7)", "seven", "nil"])
  }

  @Test func valuesAreDestroyedOnTheThreadAfterTheEndHooksInOrder() throws {
    let record = Record()
    let (first, second) = (ThreadLocalKey<Noted>(), ThreadLocalKey<Noted>())
    let options = ThreadOptions(
      name: "own", endHooks: [{ record.add("end hook, has value: \(OwnedThread.current?[first] != nil)") }])
    let thread = try OwnedThread.start(options) {
      OwnedThread.current?[second] = Noted { record.add("second on \(currentName())") }
      OwnedThread.current?[first] = Noted {
        record.add("first on \(currentName())")
        // A value put in while values are destroyed is destroyed too.
        OwnedThread.current?[first] = Noted { record.add("late on \(currentName())") }
      }
    }
    thread.join()
    #expect(record.all == ["end hook, has value: true", "first on own", "second on own", "late on own"])
  }

  @Test func theRunLoopOutlivesTheValues() throws {
    let record = Record()
    let thread = try start {
      let loop = ThreadRunLoop.current
      OwnedThread.current?[Self.object] = Noted {
        record.add("same loop: \(ThreadRunLoop.current === loop), taken: \(loop.perform {})")
      }
      OwnedThread.current?[Self.number] = 1
      loop.perform { record.add("never run") }
    }
    thread.join()
    #expect(record.all == ["same loop: true, taken: true"])
  }

  @Test func anotherThreadCannotReachThem() async {
    await #expect(processExitsWith: .failure) {
      let thread = try start {}
      _ = thread[ThreadLocalTests.number]
      thread.join()
    }
  }
}

extension Optional where Wrapped == Int {
  fileprivate var description: String { self.map { "Optional(\($0))" } ?? "nil" }
}
