import Synchronization

/// The list of all locks and of all threads that ever waited for one.
///
/// Its mutex is the innermost of all: nothing else is locked while it is held. It is bare, and so not in the list itself.
package final class LockRegistry: @unchecked Sendable {
  // Unchecked: all variables are used only with `mutex` held.
  let mutex = PthreadMutex.immortal()
  private(set) var rows: [LockRow] = []
  private(set) var records: [ThreadRecord] = []
  private var rowIndex: [RowKey: LockRow] = [:]
  private var freeRecords: [ThreadRecord] = []

  private struct RowKey: Hashable {
    let name: String
    let kind: LockKind
  }

  fileprivate init() {}

  // MARK: Locks

  /// Initializes instruments with the row of that name and links them into it.
  func register(
    _ instruments: UnsafeMutablePointer<LockInstruments>, name: String, kind: LockKind,
    _ make: (LockRow) -> LockInstruments
  ) {
    mutex.withLock {
      let row = row(name, kind)
      instruments.initialize(to: make(row))
      instruments.pointee.next = row.first
      row.first?.pointee.previous = instruments
      row.first = instruments
      row.instances += 1
    }
  }

  /// Adds what the instance counted to its row, and unlinks it. Nobody uses the lock any more.
  func unregister(_ instruments: UnsafeMutablePointer<LockInstruments>) {
    mutex.withLock {
      let row = instruments.pointee.row
      let (previous, next) = (instruments.pointee.previous, instruments.pointee.next)
      if let previous { previous.pointee.next = next } else { row.first = next }
      next?.pointee.previous = previous
      row.instances -= 1
      row.retiredAcquisitions &+= instruments.pointee.acquisitions.load(ordering: .relaxed)
    }
  }

  private func row(_ name: String, _ kind: LockKind) -> LockRow {
    let key = RowKey(name: name, kind: kind)
    if let row = rowIndex[key] { return row }
    let row = LockRow(name: name, kind: kind)
    rowIndex[key] = row
    rows.append(row)
    return row
  }

  // MARK: Threads

  func takeRecord(tid: Int32) -> ThreadRecord {
    mutex.withLock {
      let record = freeRecords.popLast() ?? makeRecord()
      record.tid.store(tid, ordering: .relaxed)
      return record
    }
  }

  func giveBack(_ record: ThreadRecord) {
    mutex.withLock {
      record.name = nil
      record.tid.store(0, ordering: .relaxed)
      freeRecords.append(record)
    }
  }

  func setName(_ name: String, of record: ThreadRecord) { mutex.withLock { record.name = name } }

  private func makeRecord() -> ThreadRecord {
    let record = ThreadRecord()
    records.append(record)
    return record
  }
}

/// The one registry of the process.
let registry = LockRegistry()
