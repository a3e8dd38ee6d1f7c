import CPlatform
import HTTPMessages
import Interleavings
import Locks
import Metrics
import RunLoops
import Synchronization

@testable import HTTPServer
@testable import WorkerPool

/// One server, from its start to the end of its drain, under a conductor.
final class Round: @unchecked Sendable {
  // Unchecked: written by the test's thread before the others start.

  private let scenario: Scenario
  private let conductor: Conductor
  private var service: HTTPService?
  private var visitors: [Visitor] = []
  private var threads: [OwnedThread] = []
  private let runs = Locked<[String: Int]>("test.runs", [:])
  private let refusals = Atomic<Int>(0)
  private let isOpen = Atomic<Bool>(false)
  private let handledMessages = Atomic<Int>(0)
  private let sentMessages = Atomic<Int>(0)

  private init(_ scenario: Scenario, _ conductor: Conductor) {
    self.scenario = scenario
    self.conductor = conductor
  }

  /// Plays a scenario. Nil: all went well; else what did not.
  ///
  /// A round that fails may leave threads behind: what is wrong with them is what was found.
  static func play(
    _ scenario: Scenario, _ strategy: any Strategy, wrong: Interleaving.Variant? = nil, trace: Recorder.Steps? = nil
  ) throws -> String? {
    let conductor = Conductor(Steady(), wrong: wrong)
    return try Interleaving.with(conductor) {
      let round = Round(scenario, conductor)
      let problem = try round.run(strategy, trace)
      if problem != nil {
        // Kept for ever: somebody may be asleep on it.
        _ = Unmanaged.passRetained(round)
        return problem
      }
      round.service = nil
      let (made, freed) = (conductor.count(.exchangeMade), conductor.count(.exchangeFreed))
      if made != freed { return "\(made) exchanges were made, \(freed) freed" }
      let (answers, released) = (conductor.count(.answerMade), conductor.count(.answerReleased))
      let (suspended, resumed) = (conductor.count(.connectionSuspended), conductor.count(.connectionResumed))
      if suspended != resumed { return "suspended \(suspended) times, resumed \(resumed) times" }
      if answers != released { return "\(answers) answers were made, \(released) released" }
      return nil
    }
  }

  private func run(_ strategy: any Strategy, _ trace: Recorder.Steps?) throws -> String? {
    let gate = Atomic<Bool>(false)
    let loop = Locked<ThreadRunLoop?>("test.monitor", nil)
    let monitor = try OwnedThread.start(ThreadOptions(name: "monitor")) {
      loop.withLock { $0 = ThreadRunLoop.current }
      ThreadRunLoop.current.add(CustomSource("keeps the loop running") {}, to: .common)
      gate.store(true, ordering: .releasing)
      _ = ThreadRunLoop.current.run()
    }
    guard conductor.wait(until: { _ in gate.load(ordering: .acquiring) }), let monitorLoop = loop.withLock({ $0 })
    else {
      return "no monitor"
    }
    let service = try makeService()
    self.service = service
    // All at once, so that the first one leads.
    conductor.expect(1 + scenario.min)
    try service.start(monitorLoop: monitorLoop) {}
    guard conductor.waitUntilIdle() else { return conductor.problem }

    conductor.pause()
    visitors = scenario.clients.compactMap { steps in
      Visitor(port: service.port, steps) { self.runs.withLock { !$0.isEmpty } }
    }
    for (index, visitor) in visitors.enumerated() {
      threads.append(try OwnedThread.start(ThreadOptions(name: "client-\(index + 1)")) { visitor.visit() })
    }
    if !scenario.events.isEmpty {
      threads.append(try OwnedThread.start(ThreadOptions(name: "manager")) { self.manage(service) })
    }
    conductor.waitForBirths(threads.count)
    conductor.resume(with: strategy)
    let names = Set(threads.map(\.name))
    let came = conductor.wait { names.isSubset(of: $0) }
    trace?.set(conductor.trace)
    guard came, conductor.waitUntilIdle() else { return give(up: "\(unanswered())") }

    if let problem = lookAtRest(service) { return give(up: problem) }
    let last = try OwnedThread.start(ThreadOptions(name: "end")) { service.beginDrain() }
    guard conductor.wait(until: { $0.contains("end") && service.pool.isFinished }) else { return give(up: "drain") }
    last.join()
    for thread in threads { thread.join() }
    threads = []
    service.waitUntilFinished()
    monitorLoop.stop()
    monitor.join()
    if let problem = conductor.problem { return problem }
    return judge(service)
  }

  private func give(up what: String) -> String {
    let problem = "\(conductor.problem ?? "wrong"): \(what)"
    conductor.release()
    for visitor in visitors { visitor.giveUp() }
    return problem
  }

  private func unanswered() -> String {
    visitors.filter { !$0.hasReset && $0.answers.count < $0.steps.count / 2 }.map { "\($0.steps)" }
      .joined(separator: "; ")
  }

  // MARK: the server

  private func makeService() throws -> HTTPService {
    var configuration = HTTPConfiguration(port: 0)
    configuration.connectionTimeout = .zero
    var pool = PoolConfiguration(
      limits: PoolLimits(minThreads: scenario.min, maxThreads: scenario.max, idleTimeout: .seconds(3600)))
    pool.queueLimit = scenario.queueLimit
    pool.queueDeadline = .seconds(3600)
    // A tick is due whenever the monitor looks: the conductor decides how long that takes.
    pool.tickNanoseconds = 1
    pool.quietTicks = 2
    pool.willMakeThread = { name in
      guard self.refusals.load(ordering: .relaxed) > 0 else { return nil }
      self.refusals.subtract(1, ordering: .relaxed)
      return Round.refusal(name)
    }
    // What decides by measured times would not come out the same twice: every thread has a processor, and each request a route of
    // its own, whose handler is not known to run long.
    pool.cores = .max
    var router = Router()
    for number in 1...4 { addRoutes(number, to: &router) }
    return try HTTPService(configuration: configuration, pool: pool, routes: router.freeze())
  }

  /// What comes of asking for a thread that nobody can make.
  private static func refusal(_ name: String) -> ThreadError? {
    do throws(ThreadError) {
      _ = try OwnedThread.start(ThreadOptions(name: name, stackSize: 1)) {}
      return nil
    } catch {
      return error
    }
  }

  private func addRoutes(_ number: Int, to router: inout Router) {
    router.get("/quick/\(number)") { _ in self.answer(number) {} }
    router.get("/slow/\(number)") { _ in self.answer(number) { Round.idle() } }
    router.get("/limited/\(number)", options: RouteOptions(timeout: .seconds(3600))) { _ in
      self.answer(number) { Round.idle() }
    }
    router.get("/open/\(number)", options: RouteOptions(isInline: true)) { _ in
      self.answer(number) { self.isOpen.store(true, ordering: .releasing) }
    }
    router.get("/wait/\(number)") { _ in self.answer(number) { self.waitUntilOpen() } }
    router.get("/stuck/\(number)") { request in
      self.answer(number) { while !request.isCancelled { Interleaving.reach(.idling) } }
    }
  }

  private func answer(_ number: Int, _ body: () -> Void) -> Response {
    Interleaving.reach(.handler)
    let number = String(number)
    runs.withLock { $0[number, default: 0] += 1 }
    body()
    return .text(number)
  }

  /// What a handler does that takes its time: enough for others to come by several times.
  static func idle() { for _ in 0..<4 { Interleaving.reach(.idling) } }

  private func waitUntilOpen() {
    while !isOpen.load(ordering: .acquiring) { Interleaving.reach(.idling) }
  }

  // MARK: what happens beside

  private func manage(_ service: HTTPService) {
    for event in scenario.events {
      Interleaving.reach(.manager)
      switch event {
      case .message(let waits):
        let loops = service.pool.roster.withLock { $0.workers.values.sorted { $0.id < $1.id }.map(\.loop) }
        // One that waits goes to the first worker only: somebody must be left who can lead meanwhile.
        for loop in waits ? loops.prefix(1) : loops[...] {
          sentMessages.add(1, ordering: .relaxed)
          loop.perform {
            Interleaving.reach(.handler)
            if waits { self.waitUntilOpen() }
            self.handledMessages.add(1, ordering: .relaxed)
          }
        }
      case .limits(let min, let max):
        try? service.pool.setLimits(PoolLimits(minThreads: min, maxThreads: max, idleTimeout: .seconds(3600)))
      case .choose(let choice): conductor.choose(choice)
      case .unchoose(let choice): conductor.unchoose(choice)
      case .pause: Round.idle()
      case .wakeLeader: for lane in service.lanes { heddle_eventfd_signal(lane.wakeDescriptor) }
      case .refuseThreads(let count): refusals.store(count, ordering: .relaxed)
      case .drain: service.beginDrain()
      case .expire: service.expire()
      case .abort: service.abort()
      }
    }
  }

  // MARK: judgement

  /// When nobody has anything to do any more.
  private func lookAtRest(_ service: HTTPService) -> String? {
    let pool = service.pool
    if pool.isFinished { return nil }
    let (limits, started, queue, waking, outside) = pool.look {
      ($0.limits, $0.started, $0.queue.count, $0.waking, $0.outside)
    }
    if started < limits.minThreads { return "\(started) threads, fewer than \(limits.minThreads)" }
    if started > limits.maxThreads { return "\(started) threads, more than \(limits.maxThreads)" }
    if queue > 0 { return "\(queue) requests stay in the queue" }
    if waking > 0 { return "\(waking) threads count as being on their way" }
    if outside != started { return "\(outside) of \(started) threads count as outside of handlers" }
    if handledMessages.load(ordering: .relaxed) != sentMessages.load(ordering: .relaxed) {
      return "\(handledMessages.load(ordering: .relaxed)) of \(sentMessages.load(ordering: .relaxed)) messages handled"
    }
    return nil
  }

  /// When all is over.
  private func judge(_ service: HTTPService) -> String? {
    var answered: [Int: Int] = [:]
    var received = 0
    for visitor in visitors {
      if let problem = visitor.problem { return problem }
      if visitor.rest() != 0 { return "something came after the last answer" }
      for (target, status, body) in visitor.answers where status != 0 {
        received += 1
        answered[status, default: 0] += 1
        let number = String(target.drop { $0 != "/" }.dropFirst().drop { $0 != "/" }.dropFirst())
        let count = runs.withLock { $0[number, default: 0] }
        if status == 200, body != number { return "\(target) was answered with “\(body)”" }
        if status == 200, count != 1 { return "the handler of \(target) ran \(count) times" }
      }
    }
    if let twice = runs.withLock({ $0.first { $0.value > 1 } }) { return "request \(twice.key) was run twice" }
    let figures = service.statistics()
    if figures.requestsTotal != figures.answeredTotal + figures.abandonedTotal {
      return "\(figures.requestsTotal) requests, \(figures.answeredTotal) answered, \(figures.abandonedTotal) abandoned"
    }
    let left = visitors.filter(\.hasReset).count
    if Int(figures.answeredTotal) < received || Int(figures.answeredTotal) > received + left {
      return "\(figures.answeredTotal) answered, \(received) received"
    }
    if figures.connectionsOpen != 0 { return "\(figures.connectionsOpen) connections stay open" }
    if Int(figures.timedOutTotal) != answered[504, default: 0] {
      return "\(figures.timedOutTotal) timed out, \(answered[504, default: 0]) answered with 504"
    }
    return nil
  }
}
