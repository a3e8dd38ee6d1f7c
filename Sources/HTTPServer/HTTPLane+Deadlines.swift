import CPlatform
import HTTPMessages
import Interleavings

/// Requests that take longer than their time limit: answered with 504 by the leader, whatever their handlers do.
extension HTTPLane {
  /// Answers those whose time is over, and tells their handlers to stop. Returns the nanoseconds until the next one is due:
  /// 0 if somebody was answered, since a pass must meet him; `Int64.max` if nobody has a limit.
  func enforceDeadlines() -> Int64 {
    var wait = Int64.max
    for index in deadlines.indices {
      guard let next = deadlines[index].next else { continue }
      let now = Interleaving.chooses(.timeLimitIsOver) ? Int64.max : heddle_now()
      if next > now {
        wait = min(wait, next - now)
        continue
      }
      wait = 0
      while let exchange = deadlines[index].head, exchange.completeAt &+ deadlines[index].timeout <= now {
        deadlines[index].remove(exchange)
        guard exchange.stage == .waiting else { continue }
        exchange.storage.cancel()
        let refusal = Refusal(.gatewayTimeout, "the request took longer than it may")
        if exchange.refuse(refusal, context: leaderContext) { figures.timedOut.add() }
      }
    }
    return wait
  }
}
