import Interleavings

/// Wrong ways to take a step, for tests: see ``Interleaving/Variant``. In a release build nobody calls them.
extension Worker {
  /// The lane was seen to be vacant in one section under `P`, and is taken in another.
  func takeLaneInSecondStep(_ lane: Int) {
    Interleaving.reach(.betweenTwoSteps)
    pool.decide { $0.hold(lane) }
  }

  /// To park was decided in one section under `P`, and the stack is entered in another.
  func pushInSecondStep() -> Bool {
    Interleaving.reach(.betweenTwoSteps)
    return pool.decide { $0.push(self) }
  }
}
