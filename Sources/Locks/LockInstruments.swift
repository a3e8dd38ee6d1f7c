import CPlatform
import Synchronization

/// What is measured in one instance of a lock, of whatever kind.
///
/// It lies in memory directly behind the primitive that it measures: a `pthread_mutex_t` has 40 bytes, so the mutex and
/// the four fields that the fast path touches share one cache line of 64. The counters are written only while the lock
/// is held, by its holder, hence with a load and a store instead of an atomic addition; anybody may read them.
/// What only a thread that waits writes is in the ``LockRow``, shared by all instances of a name.
struct LockInstruments: ~Copyable {
  /// How often the lock was taken. Written by the holder.
  let acquisitions = Atomic<UInt64>(0)
  /// Since when the holder has had the lock: nanoseconds of `CLOCK_MONOTONIC`, 0 if not known; negated if it is only
  /// known that it has had it at least since about then. Meaningless while `owner` is 0.
  let heldSince = Atomic<Int64>(0)
  /// The kernel's id of the thread that holds the lock, or 0. Written by the holder.
  let owner = Atomic<Int32>(0)
  /// How many threads sleep until they get it.
  let waiters = Atomic<Int32>(0)

  /// Rows are never freed, so this needs no counted reference.
  private let unmanagedRow: Unmanaged<LockRow>
  var row: LockRow { unmanagedRow.takeUnretainedValue() }

  /// The neighbours in the row's list of live instances. The registry's mutex is held wherever they are used.
  var previous: UnsafeMutablePointer<LockInstruments>?
  var next: UnsafeMutablePointer<LockInstruments>?

  private init(row: LockRow) { unmanagedRow = .passUnretained(row) }

  // MARK: Memory

  /// Memory for a primitive of so many bytes and its instruments, these made and registered.
  static func allocate(
    name: String, kind: LockKind, primitiveSize: Int
  ) -> UnsafeMutablePointer<LockInstruments> {
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: primitiveSize + MemoryLayout<LockInstruments>.size, alignment: cacheLine)
    let instruments = (block + primitiveSize).bindMemory(to: LockInstruments.self, capacity: 1)
    registry.register(instruments, name: name, kind: kind) { LockInstruments(row: $0) }
    return instruments
  }

  /// The memory of the primitive that the instruments belong to.
  static func primitive(
    of instruments: UnsafeMutablePointer<LockInstruments>, size: Int
  ) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(instruments) - size
  }

  /// Adds the counts to the row's, takes the instance off the registry, and frees the memory, also the primitive's.
  static func deallocate(_ instruments: UnsafeMutablePointer<LockInstruments>, primitiveSize: Int) {
    registry.unregister(instruments)
    instruments.deinitialize(count: 1)
    primitive(of: instruments, size: primitiveSize).deallocate()
  }

  private static var cacheLine: Int { 64 }

  // MARK: The fast path

  /// One acquisition in so many has its hold time measured; the first of each instance is one of them.
  static var holdSamplingPeriod: UInt64 { 128 }

  /// The lock was free and is now held by the calling thread.
  @inline(__always) func didAcquireAtOnce() {
    let count = acquisitions.load(ordering: .relaxed) &+ 1
    acquisitions.store(count, ordering: .relaxed)
    owner.store(heddle_tid(), ordering: .relaxed)
    let isSampled = count % Self.holdSamplingPeriod == 1
    if isSampled || waiters.load(ordering: .relaxed) != 0 {
      noteAcquisition(isSampled: isSampled)
    } else {
      heldSince.store(0, ordering: .relaxed)
    }
  }

  @inline(never)
  private func noteAcquisition(isSampled: Bool) {
    // Not sampled: somebody waits, and this thread was faster. The coarse clock is good enough to say for how long it has
    // the lock, and cheap enough not to lengthen that.
    heldSince.store(isSampled ? heddle_now() : -heddle_now_coarse(), ordering: .relaxed)
  }

  /// The calling thread, which holds the lock and acquired it at `since` (as `heldSince` has it), is about to release it.
  /// Returns for how long it has held it, or 0 where that was not measured.
  func holdNanoseconds(since: Int64) -> Int64 {
    if since >= 0 { return since == 0 ? 0 : heddle_now() - since }
    return heddle_now_coarse() + since >= Self.longHold ? heddle_now() + since : 0
  }

  /// A hold whose beginning is known only roughly counts from this length on: a tick of the coarse clock is 4 or 10 ms.
  private static var longHold: Int64 { 20_000_000 }
}
