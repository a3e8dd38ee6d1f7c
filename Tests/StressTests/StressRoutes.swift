import Glibc
import Heddle
import Synchronization

/// What the server under stress serves: the same below `/stay`, for clients that wait for their answers, and below `/left`, for
/// those that leave, so that the figures of the former must agree with what they saw, one for one.
final class StressRoutes: Sendable {
  /// How often each handler below `/stay` was entered, by the number of its kind.
  let runs: [StressCounter] = StressKind.allCases.map { _ in StressCounter() }

  static let text = Array("done\n".utf8)
  /// More than socket buffers hold.
  static let blob: [UInt8] = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
  private static let sharedBlob = SharedResponse(.bytes(blob))
  private static let sharedText = SharedResponse(.bytes(text))

  struct Failure: Error {}

  func add(to router: inout Router) {
    add(below: "/stay", to: &router) { [runs] in runs[$0.rawValue].add() }
    add(below: "/left", to: &router) { _ in }
  }

  private func add(
    below prefix: String, to router: inout Router, _ note: @escaping @Sendable (StressKind) -> Void
  ) {
    func get(
      _ kind: StressKind, _ options: RouteOptions = RouteOptions(), _ handler: @escaping Handler
    ) {
      router.get(prefix + kind.path.dropFirst(5), options: options) { request in
        note(kind)
        return try handler(request)
      }
    }
    get(.inline, RouteOptions(isInline: true)) { _ in Response(shared: StressRoutes.sharedText) }
    get(.short) { request in
      // The address of what was allocated for one request must not be another's: the target tells whose it is.
      request.target.hasSuffix("/short") ? .bytes(StressRoutes.text) : .text("not mine: \(request.target)")
    }
    get(.high, RouteOptions(priority: .high)) { _ in Response(shared: StressRoutes.sharedText) }
    get(.low, RouteOptions(priority: .low)) { _ in .bytes(StressRoutes.text) }
    get(.sleep, RouteOptions(maxConcurrent: 2, maxWaiting: 4)) { request in
      usleep(1000 * UInt32(1 + (request.query("ms").flatMap { Int($0) } ?? 0)))
      return .bytes(StressRoutes.text)
    }
    get(.limited, RouteOptions(timeout: .milliseconds(2))) { request in
      usleep(1000 * UInt32(1 + (request.query("ms").flatMap { Int($0) } ?? 0)))
      return .bytes(StressRoutes.text)
    }
    get(.cpu) { _ in
      StressRoutes.compute(microseconds: 200)
      return .bytes(StressRoutes.text)
    }
    get(.throwing) { _ in throw Failure() }
    get(.blob) { _ in Response(shared: StressRoutes.sharedBlob) }
    router.post("\(prefix)/echo") { request in
      note(.echo)
      return .bytes(request.body)
    }
    router.post("\(prefix)/small", options: RouteOptions(maxBodyBytes: 100)) { _ in
      note(.tooLong)
      return .text("too long a body was let through")
    }
  }

  private static func compute(microseconds: Int) {
    func used() -> Int {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
    }
    let end = used() + microseconds
    while used() < end {}
  }
}

/// A total that any thread may raise.
final class StressCounter: Sendable {
  private let count = Atomic<Int>(0)

  func add(_ amount: Int = 1) { count.add(amount, ordering: .relaxed) }

  var value: Int { count.load(ordering: .relaxed) }
}
