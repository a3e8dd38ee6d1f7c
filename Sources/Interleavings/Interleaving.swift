/// The places in Heddle's code where the order of two threads matters, told to a test that wants to decide that order.
///
/// In a release build nothing of this is left: each function is inlined there and empty, or false. In a debug build it costs
/// a look at one thread-local word. A thread takes part only if a test made it do so (``with(_:_:)``) or if it was started by one that
/// does; so tests that run at the same time do not meet each other. May be called from any thread.
///
/// Public only because Swift does not inline across modules what is `package`; an application does not see this module.
public enum Interleaving {
  /// The calling thread has come to a place. It may be held there while others run. No lock may be held.
  @inlinable @inline(__always)
  public static func reach(_ place: Place) {
    #if DEBUG
      if let arbiter { arbiter.reach(place) }
    #endif
  }

  /// Something was done that is counted.
  @inlinable @inline(__always)
  public static func note(_ event: Event) {
    #if DEBUG
      if let arbiter { arbiter.note(event) }
    #endif
  }

  /// Whether the test wants this to be so now. False where there is none.
  @inlinable @inline(__always)
  public static func chooses(_ choice: Choice) -> Bool {
    #if DEBUG
      arbiter?.chooses(choice) ?? false
    #else
      false
    #endif
  }

  /// Whether the code is to do the wrong thing here, so that a test can show that it would notice. False where there is no test.
  @inlinable @inline(__always)
  public static func isWrong(_ variant: Variant) -> Bool {
    #if DEBUG
      arbiter?.isWrong(variant) ?? false
    #else
      false
    #endif
  }

  /// The calling thread is about to sleep in the kernel until another one wakes it.
  @inlinable @inline(__always)
  public static func willSleep() {
    #if DEBUG
      arbiter?.willSleep()
    #endif
  }

  /// For who is about to sleep inside a library that then does something: a turn must come between the two. So under an arbiter
  /// this sleeps until the descriptor is readable, and there is nothing left to wait.
  /// - Returns: how long the library may sleep, in milliseconds
  @inlinable @inline(__always)
  public static func sleep(until descriptor: Int32, milliseconds: Int32) -> Int32 {
    #if DEBUG
      guard let arbiter else { return milliseconds }
      waitUntilReadable(descriptor, milliseconds)
      arbiter.hasWoken()
      return 0
    #else
      milliseconds
    #endif
  }

  /// The sleep is over.
  @inlinable @inline(__always)
  public static func hasWoken() {
    #if DEBUG
      arbiter?.hasWoken()
    #endif
  }
}
