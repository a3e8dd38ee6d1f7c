import CPlatform
import Synchronization

/// What the locks know of one thread: its id and name, and which lock it waits for.
///
/// A thread gets one when it first waits or is given a name. The record is never freed, so whoever finds one may read it;
/// when its thread ends, another thread takes it over.
package final class ThreadRecord: @unchecked Sendable {
  // Unchecked: `name` is used only with the registry's mutex held, `owed` only by the thread that has the record.

  /// The thread's id in the kernel, or 0: the record is free.
  let tid = Atomic<Int32>(0)
  /// The bits of the pointer to the `LockInstruments` that the thread waits for, or 0.
  private let waitsFor = Atomic<UInt>(0)
  private let waitsSince = Atomic<Int64>(0)
  /// The name that the thread gave itself. Without one, the kernel's name of it is read when it is shown.
  var name: String?
  /// A wait that has ended and is not in the statistics yet, because the lock is held still.
  private var owed: (row: LockRow, lock: UnsafeMutablePointer<LockInstruments>, nanoseconds: Int64)?

  init() {}

  // MARK: The thread's own side

  /// The calling thread's record, made if it has none.
  static var current: ThreadRecord {
    if let existing { return existing }
    let record = registry.takeRecord(tid: heddle_tid())
    let slot = Unmanaged.passUnretained(record).toOpaque()
    heddle_tls_set(HEDDLE_TLS_WAITER, slot)
    ThreadExit.watchCurrentThread(slot)
    return record
  }

  /// Names the calling thread in the statistics. May be called from any thread, for itself.
  package static func setCurrentName(_ name: String) { registry.setName(name, of: current) }

  /// Gives the calling thread's record back: the last thing that a thread does with locks. Threads that do not call this
  /// are seen to when they end. A thread that waits for a lock afterwards gets a new record.
  package static func retire() {
    guard let record = existing else { return }
    record.settle()
    heddle_tls_set(HEDDLE_TLS_WAITER, nil)
    ThreadExit.forgetCurrentThread()
    registry.giveBack(record)
  }

  /// The calling thread's record, if it has one.
  static var existing: ThreadRecord? {
    heddle_tls_get(HEDDLE_TLS_WAITER).map { Unmanaged<ThreadRecord>.fromOpaque($0).takeUnretainedValue() }
  }

  func beginWaiting(for instruments: UnsafeMutablePointer<LockInstruments>, since: Int64) {
    waitsSince.store(since, ordering: .relaxed)
    waitsFor.store(UInt(bitPattern: instruments), ordering: .releasing)
  }

  func endWaiting() { waitsFor.store(0, ordering: .releasing) }

  /// Puts down that the thread has waited so long for a lock, which it now holds. ``settle(_:)`` counts it.
  func owe(_ nanoseconds: Int64, for instruments: UnsafeMutablePointer<LockInstruments>) {
    settle()  // A lock that is held outside this one.
    owed = (instruments.pointee.row, instruments, nanoseconds)
  }

  /// Counts the wait for that lock, or for whichever it is. The lock itself is not touched, only its row.
  func settle(_ instruments: UnsafeMutablePointer<LockInstruments>? = nil) {
    guard let owed, instruments == nil || owed.lock == instruments else { return }
    self.owed = nil
    owed.row.didWait(nanoseconds: owed.nanoseconds)
  }

  // MARK: Everybody's side

  /// Which instance the thread waits for, and since when. The registry's mutex must be held as long as the pointer is
  /// used. It is valid so long: a lock leaves the registry before its memory is freed, and no thread waits any more for a
  /// lock that leaves the registry.
  func currentWait() -> (instruments: UnsafeMutablePointer<LockInstruments>, since: Int64)? {
    let bits = waitsFor.load(ordering: .acquiring)
    let since = waitsSince.load(ordering: .acquiring)
    guard let pointer = UnsafeMutablePointer<LockInstruments>(bitPattern: bits) else { return nil }
    // If another wait began between the two loads, the time could be the new one's: the wait is over then.
    return waitsFor.load(ordering: .relaxed) == bits ? (pointer, since) : nil
  }
}
