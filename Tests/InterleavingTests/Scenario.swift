import HTTPMessages
import Interleavings
import Testing

/// What happens in a round: what the clients do, each on a connection of its own, and what else happens meanwhile.
struct Scenario: Sendable, CustomTestStringConvertible {
  /// What a client does next.
  enum ClientStep: Sendable {
    /// Sends a request. Each must have a number of its own as the last part of its path.
    case send(String)
    /// Sends a request but for its last line, and after a pause the rest.
    case sendInTwo(String)
    /// Waits for the next answer, which must have one of these statuses.
    case receive([Int])
    /// Others come first, a few times.
    case pause
    /// Waits until some handler has begun; not for ever.
    case awaitHandler
    /// Resets the connection.
    case reset
  }

  /// What happens beside.
  enum Event: Sendable {
    /// A block for the run loop of each worker. With `waits`: of the first one, and it does not end before somebody has asked for `/open`.
    case message(waits: Bool = false)
    case limits(Int, Int)
    case choose(Interleaving.Choice)
    case unchoose(Interleaving.Choice)
    /// Others come first, a few times.
    case pause
    /// The leader looks again, as it does when a time is over.
    case wakeLeader
    case drain, expire, abort
    /// So many of the threads that are made next cannot be.
    case refuseThreads(Int)
  }

  let name: String
  var min = 2
  var max = 3
  var queueLimit = 16
  var clients: [[ClientStep]]
  var events: [Event] = []

  var testDescription: String { name }

  /// One request and its answer.
  static func ask(_ target: String, _ statuses: Int...) -> [ClientStep] {
    [.send(target), .receive(statuses.isEmpty ? [200] : statuses)]
  }

  static let all: [Scenario] = [
    Scenario(name: "two answers", clients: [ask("/quick/1") + ask("/quick/2"), ask("/quick/3")]),
    Scenario(name: "slow answers", clients: [ask("/slow/1") + ask("/quick/2"), ask("/slow/3")]),
    Scenario(name: "slow and quick", clients: [ask("/slow/1"), ask("/quick/2") + [.pause] + ask("/quick/3")]),
    Scenario(
      name: "a client leaves",
      clients: [[.send("/quick/1"), .pause, .reset], ask("/quick/2")]),
    Scenario(
      name: "a client leaves early",
      clients: [[.send("/slow/1"), .awaitHandler, .reset], ask("/quick/2") + ask("/slow/3")]),
    Scenario(
      name: "a handler waits for another request", max: 2,
      clients: [ask("/wait/1"), ask("/open/2")]),
    Scenario(
      name: "the queue is full", max: 2, queueLimit: 1,
      clients: [ask("/quick/1", 200, 503), ask("/quick/2", 200, 503), ask("/quick/3", 200, 503)]),
    Scenario(
      name: "the time limit", clients: [ask("/limited/1", 200, 504), ask("/limited/2", 200, 504)],
      events: [.choose(.timeLimitIsOver), .wakeLeader]),
    Scenario(
      name: "the queue deadline", max: 2, clients: [ask("/quick/1", 200, 503), ask("/quick/2", 200, 503)],
      events: [.choose(.queueDeadlineIsOver)]),
    Scenario(
      name: "messages", clients: [ask("/quick/1") + ask("/quick/2")],
      events: [.message(), .message()]),
    Scenario(
      name: "a message waits for a request", max: 2, clients: [ask("/open/1"), ask("/quick/2")],
      events: [.message(waits: true)]),
    Scenario(
      name: "limits", clients: [ask("/quick/1"), ask("/quick/2")],
      events: [.limits(3, 4), .limits(2, 2)]),
    Scenario(
      name: "the idle time", min: 2, max: 4, clients: [ask("/slow/1") + ask("/quick/2")],
      events: [
        .limits(3, 4), .pause, .choose(.idleTimeIsOver), .limits(2, 4), .pause, .limits(2, 4), .pause,
        .unchoose(.idleTimeIsOver),
      ]),
    Scenario(
      name: "threads that cannot be made", clients: [ask("/slow/1"), ask("/quick/2")],
      events: [.refuseThreads(2), .limits(3, 4), .pause, .limits(2, 3)]),
    Scenario(
      name: "a drain", clients: [ask("/slow/1", 200, 0), ask("/quick/2", 200, 0)], events: [.pause, .drain]),
    Scenario(
      name: "a drain and clients that leave",
      clients: [[.send("/slow/1"), .reset], [.send("/quick/2"), .receive([200, 0])]], events: [.pause, .drain]),
    Scenario(
      name: "a request after the drain timeout",
      clients: [[.sendInTwo("/stuck/1"), .receive([200, 503, 0])]], events: [.drain, .expire]),
    Scenario(
      name: "clients that the end does not wait for",
      clients: [[.sendInTwo("/quick/1"), .receive([200, 503, 0])], ask("/slow/2", 200, 503, 0)],
      events: [.pause, .drain, .expire, .abort]),
    Scenario(
      name: "the drain timeout", max: 2,
      clients: [ask("/stuck/1", 200, 503, 0), ask("/quick/2", 200, 503, 0)], events: [.pause, .drain, .pause, .expire]),
  ]

  static func named(_ name: String) -> Scenario {
    guard let found = all.first(where: { $0.name == name }) else { preconditionFailure("no scenario “\(name)”") }
    return found
  }
}
