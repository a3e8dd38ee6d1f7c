import Locks
import RunLoops

/// Telling threads that compute from threads that wait, by what they do rather than by what they are called for.
extension WorkerPool {
  /// How many workers that run an item wait for something rather than compute. On the monitor's thread.
  ///
  /// A thread whose processor time stands still either waits, or has work and finds no processor free; the kernel's state tells
  /// the two apart. Asking for it costs some microseconds, so it is asked when the clock has just stopped; after that a clock that
  /// still stands is enough (0.3 µs).
  func waitingWorkers() -> Int {
    roster.withLock { roster in
      var waiting = 0
      for (id, worker) in roster.workers {
        guard worker.activity.state == .running, let thread = roster.threads[id], let used = thread.cpuNanoseconds()
        else {
          roster.samples[id] = nil
          continue
        }
        var new = WorkerSample(runs: worker.activity.runsTotal, cpu: used)
        if let old = roster.samples[id], old.runs == new.runs, new.cpu - old.cpu < WorkerSample.standstill {
          new.isWaiting = old.isWaiting && new.cpu == old.cpu || thread.isAsleep
        }
        if new.isWaiting { waiting += 1 }
        roster.samples[id] = new
      }
      return waiting
    }
  }
}

extension OwnedThread {
  /// Whether the kernel has it asleep: waiting for a lock, a timer, a device, a peer.
  fileprivate var isAsleep: Bool {
    let state = schedulerState()
    return state == "S" || state == "D"
  }
}

/// A worker while it ran an item.
struct WorkerSample: Sendable {
  /// Less processor time than this between two ticks counts as standing still, in nanoseconds: a tenth of a tick.
  static let standstill: Int64 = 100_000

  /// Items that it had run before.
  var runs: UInt64
  /// Processor time of its thread, in nanoseconds.
  var cpu: Int64
  /// Whether it waited.
  var isWaiting = false
}
