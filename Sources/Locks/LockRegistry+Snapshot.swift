import CPlatform
import Synchronization

extension LockRegistry {
  /// The figures of all locks, one entry for each name and kind, sorted by these. May be called from any thread; takes
  /// only the registry's mutex, so also while every other lock is held.
  package static func snapshot() -> [LockStatistics] { registry.statistics() }

  private func statistics() -> [LockStatistics] {
    var names = ThreadNames()
    let raw = mutex.withLock {
      names.add(records)
      let waiting = waiters()
      return rows.map { RawRow($0, waiting: waiting) }
    }
    let now = heddle_now()
    return raw.map { $0.statistics(names: &names, now: now) }
      .sorted { ($0.name, $0.kind.rawValue) < ($1.name, $1.kind.rawValue) }
  }

  /// Which threads wait for which instance. The mutex is held.
  private func waiters() -> [UnsafeMutablePointer<LockInstruments>: [Int32]] {
    var waiters: [UnsafeMutablePointer<LockInstruments>: [Int32]] = [:]
    for record in records {
      guard let wait = record.currentWait() else { continue }
      waiters[wait.instruments, default: []].append(record.tid.load(ordering: .relaxed))
    }
    return waiters
  }
}

/// What is read of a row while the registry's mutex is held; names are looked up and figures rendered after it.
private struct RawRow {
  var statistics: LockStatistics
  var holder: Holder?
  var waiters: [Int32] = []

  struct Holder {
    let tid: Int32
    let since: Int64?
    let isWaitedFor: Bool

    func isMoreTellingThan(_ other: Holder) -> Bool {
      if isWaitedFor != other.isWaitedFor { return isWaitedFor }
      return since ?? .max < other.since ?? .max
    }
  }

  init(_ row: LockRow, waiting: [UnsafeMutablePointer<LockInstruments>: [Int32]]) {
    statistics = row.statistics()
    statistics.instances = row.instances
    statistics.acquisitionsTotal = row.retiredAcquisitions
    var next = row.first
    while let instruments = next {
      let waitersHere = waiting[instruments] ?? []
      statistics.acquisitionsTotal &+= instruments.pointee.acquisitions.load(ordering: .relaxed)
      waiters += waitersHere
      if let holder = instruments.pointee.holder(isWaitedFor: !waitersHere.isEmpty) {
        if let best = self.holder, !holder.isMoreTellingThan(best) {} else { self.holder = holder }
      }
      next = instruments.pointee.next
    }
  }

  func statistics(names: inout ThreadNames, now: Int64) -> LockStatistics {
    var result = statistics
    result.waiters = waiters.map { names[$0] }
    if let holder {
      result.owner = LockOwner(
        tid: holder.tid, name: names[holder.tid],
        heldForSeconds: holder.since.map { seconds(max(now - $0, 0)) })
    }
    return result
  }
}

extension LockInstruments {
  /// Who holds the lock now and since when, read without stopping it. The sign of `heldSince` says how exact it is.
  fileprivate borrowing func holder(isWaitedFor: Bool) -> RawRow.Holder? {
    let tid = owner.load(ordering: .relaxed)
    if tid == 0 { return nil }
    let since = heldSince.load(ordering: .relaxed)
    return .init(tid: tid, since: since == 0 ? nil : abs(since), isWaitedFor: isWaitedFor)
  }
}
