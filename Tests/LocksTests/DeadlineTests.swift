import Locks
import Testing

@Suite struct DeadlineTests {
  @Test func movesByADuration() {
    #expect(Deadline(nanoseconds: 5).advanced(by: .microseconds(2)).nanoseconds == 2_005)
    #expect(Deadline(nanoseconds: 5).advanced(by: .nanoseconds(-7)).nanoseconds == -2)
  }

  @Test func saturates() {
    let day = Duration.seconds(86_400)
    #expect(Deadline(nanoseconds: .max - 1).advanced(by: day) == .distantFuture)
    #expect(Deadline(nanoseconds: .min + 1).advanced(by: .zero - day) == .distantPast)
    #expect(Deadline.distantFuture.advanced(by: .zero - day) == .distantFuture)
    #expect(Deadline(nanoseconds: 0).advanced(by: .seconds(Int64.max)) == .distantFuture)
  }

  @Test func measuresTheTimeBetweenTwo() {
    #expect(Deadline(nanoseconds: 3).duration(to: Deadline(nanoseconds: 10)) == .nanoseconds(7))
    #expect(Deadline(nanoseconds: 10).duration(to: Deadline(nanoseconds: 3)) == .nanoseconds(-7))
    #expect(Deadline.distantPast.duration(to: .distantFuture) == .nanoseconds(Int64.max))
  }

  /// However long a limit is, some of them and a reading of the clock can be added up.
  @Test func limitsAreBounded() {
    #expect(Duration.milliseconds(5).limitNanoseconds == 5_000_000)
    let longest = Duration.seconds(Int64.max).limitNanoseconds
    #expect(longest > 300_000_000_000_000_000 && longest < Int64.max / 20)
  }

  @Test func comparesByTime() {
    #expect(Deadline.distantPast < .now())
    #expect(Deadline.now() < .distantFuture)
    #expect(Deadline.distantPast.hasPassed)
    #expect(!Deadline.distantFuture.hasPassed)
    #expect(!Deadline.after(.seconds(3600)).hasPassed)
  }
}
