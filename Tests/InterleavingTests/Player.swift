import CPlatform
import Glibc
import Interleavings
import Synchronization

/// A thread that takes part.
final class Player: @unchecked Sendable {
  // Unchecked: `state` is reached under the conductor's lock; the rest is constant or atomic.
  enum State { case ready(Interleaving.Place), running, asleep, ended }
  let name: String
  /// At first on its way to its first place.
  var state = State.asleep
  /// Set by the thread itself as soon as it has returned from the kernel, before it takes the conductor's lock.
  let isAwake = Atomic<Bool>(true)
  let seat = Seat()
  /// What the kernel tells of the thread: kept open, since it is read at every second turn.
  private let status: Int32

  /// On the thread itself.
  init(name: String) {
    self.name = name
    status = open("/proc/self/task/\(heddle_tid())/stat", O_RDONLY | O_CLOEXEC)
  }

  deinit { close(status) }

  /// Whether the kernel has it asleep, waiting for something. The state stands behind the name, which is in brackets and has none.
  var isAsleepInKernel: Bool {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      guard let text = buffer.baseAddress, pread(status, text, 127, 0) > 0 else { return false }
      text[127] = 0
      guard let end = strchr(text, 0x29), end[1] != 0 else { return false }
      return end[2] == 0x53
    }
  }
}

/// Where one thread waits for its turn.
final class Seat: @unchecked Sendable {
  // Unchecked: a constant pointer to an atomic, freed with the object.
  private let word: UnsafeMutablePointer<Atomic<UInt32>>

  init() {
    word = .allocate(capacity: 1)
    word.initialize(to: Atomic(0))
  }

  deinit {
    word.deinitialize(count: 1)
    word.deallocate()
  }

  func close() { word.pointee.store(0, ordering: .releasing) }

  func open() {
    word.pointee.store(1, ordering: .releasing)
    _ = heddle_futex_wake(futex, 1)
  }

  func wait() {
    while word.pointee.load(ordering: .acquiring) == 0 { _ = heddle_futex_wait(futex, 0, -1) }
  }

  private var futex: UnsafeMutablePointer<UInt32> {
    UnsafeMutableRawPointer(word).assumingMemoryBound(to: UInt32.self)
  }
}
