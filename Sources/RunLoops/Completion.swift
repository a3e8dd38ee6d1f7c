import CPlatform
import Synchronization

/// A result that one thread waits for and another provides, once. Sleeps on a futex word.
final class Completion<Value: Sendable>: @unchecked Sendable {
  // Unchecked: `result` is written once before `word` says so (release) and read after that (acquire).
  private var result: Result<Value, any Error>?
  private let word: UnsafeMutablePointer<Atomic<UInt32>>

  init() {
    word = .allocate(capacity: 1)
    word.initialize(to: Atomic(0))
  }

  deinit {
    word.deinitialize(count: 1)
    word.deallocate()
  }

  private var futex: UnsafeMutablePointer<UInt32> {
    UnsafeMutableRawPointer(word).assumingMemoryBound(to: UInt32.self)
  }

  func finish(_ result: Result<Value, any Error>) {
    self.result = result
    word.pointee.store(1, ordering: .releasing)
    // The caller holds a reference, so the word is still there.
    _ = heddle_futex_wake(futex, 1)
  }

  func wait() -> Result<Value, any Error> {
    while word.pointee.load(ordering: .acquiring) == 0 { _ = heddle_futex_wait(futex, 0, -1) }
    guard let result else { preconditionFailure("A completion is done without a result") }
    return result
  }
}
