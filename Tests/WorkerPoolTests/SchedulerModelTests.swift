import Testing

@testable import WorkerPool

/// Random walks through the protocol: everything that may happen happens in random order, and after each step the invariants hold.
@Suite struct SchedulerModelTests {
  static let stepsPerSeed = 20_000

  struct Shape: CustomTestStringConvertible, Sendable {
    let minimum: Int
    let maximum: Int
    let lanes: Int
    let queueLimit: Int
    let cores: Int

    var testDescription: String { "\(minimum)–\(maximum) threads, \(lanes) lanes, queue of \(queueLimit)" }
  }

  static let shapes = [
    Shape(minimum: 1, maximum: 3, lanes: 0, queueLimit: 5, cores: 1),
    Shape(minimum: 2, maximum: 2, lanes: 1, queueLimit: 3, cores: 2),
    Shape(minimum: 2, maximum: 4, lanes: 1, queueLimit: 20, cores: .max),
    Shape(minimum: 3, maximum: 5, lanes: 2, queueLimit: 8, cores: 2),
  ]

  @Test(arguments: shapes, 1...4) func randomWalk(_ shape: Shape, _ seed: Int) throws {
    let model = SchedulerModel(
      seed: UInt64(seed), min: shape.minimum, max: shape.maximum, lanes: shape.lanes,
      queueLimit: shape.queueLimit, cores: shape.cores)
    try model.start()
    var left = SchedulerModelTests.stepsPerSeed
    while left > 0 {
      let run = 20 + model.random.below(400)
      for _ in 0..<run { try model.randomStep() }
      left -= run
      // With all handlers stuck, so that the rest must do without them; then with all of them done.
      try model.rest(stuck: true)
      try model.checkAtRest(stuck: true)
      try model.rest(stuck: false)
      try model.checkAtRest(stuck: false)
    }
    try finish(model)
    #expect(model.finished > 500, "the walk did next to nothing")
  }

  /// Short lives, each drained in the middle of things.
  @Test(arguments: shapes) func drainAtAnyMoment(_ shape: Shape) throws {
    for seed in 0..<200 {
      let model = SchedulerModel(
        seed: UInt64(1000 + seed), min: shape.minimum, max: shape.maximum, lanes: shape.lanes,
        queueLimit: shape.queueLimit, cores: shape.cores)
      try model.start()
      for _ in 0..<model.random.below(300) { try model.randomStep() }
      try finish(model)
    }
  }

  private func finish(_ model: SchedulerModel) throws {
    model.drain()
    for _ in 0..<model.random.below(100) { try model.randomStep() }
    try model.rest(stuck: false)
    try model.checkAtRest(stuck: false)
    #expect(model.accepted == model.finished + model.expired + model.shed + model.dropped)
  }
}
