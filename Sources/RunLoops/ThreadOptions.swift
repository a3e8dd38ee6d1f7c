import Glibc

/// How a thread is to be made. Every option has a default; a value may be used for any number of threads.
///
/// A value: may be used from any thread.
public struct ThreadOptions: Sendable {
  /// The thread's name, as `top -H`, debuggers and the statistics show it. Linux keeps 15 bytes: more is cut
  /// off, never in the middle of a character. Default: `thread`.
  public var name: String

  /// Bytes of stack that the thread can use, the guard not counted. Rounded up to whole pages; must be at
  /// least what the system demands (16 KiB on x86-64). Default: 512 KiB.
  public var stackSize: Int

  /// Bytes below the stack that nothing may touch, so that an overflow is a fault and not silent damage.
  /// Rounded up to whole pages. Default: 64 KiB, which a large frame does not easily jump over.
  public var guardSize: Int

  /// The nice value, -20 (most favoured) to 19; nil leaves the creator's. Values below the creator's need a
  /// privilege: if it is missing the thread runs all the same, and ``OwnedThread/nicenessError`` says why.
  /// Default: nil.
  public var niceness: Int?

  /// Whether somebody may ``OwnedThread/join()``. A thread that is not joinable cleans up behind itself; a
  /// joinable one that nobody joined does so when the last reference to it goes. Default: true.
  public var isJoinable: Bool

  /// Called in order on the new thread before its body. Default: none.
  public var startHooks: [@Sendable () -> Void]

  /// Called in order on the thread after its body has returned, while its thread-local values and its run
  /// loop still exist. Default: none.
  public var endHooks: [@Sendable () -> Void]

  /// Makes a set of options. Nothing is checked before ``OwnedThread/start(_:_:)``. May be called from any
  /// thread.
  public init(
    name: String = "thread", stackSize: Int = 512 << 10, guardSize: Int = 64 << 10, niceness: Int? = nil,
    isJoinable: Bool = true, startHooks: [@Sendable () -> Void] = [], endHooks: [@Sendable () -> Void] = []
  ) {
    self.name = name
    self.stackSize = stackSize
    self.guardSize = guardSize
    self.niceness = niceness
    self.isJoinable = isJoinable
    self.startHooks = startHooks
    self.endHooks = endHooks
  }
}

extension ThreadOptions {
  /// The name as the kernel will keep it: up to the first NUL, at most 15 bytes, whole characters of UTF-8
  /// only.
  var keptName: String {
    var kept = String.UnicodeScalarView()
    var bytes = 0
    for scalar in name.unicodeScalars {
      bytes += UTF8.width(scalar)
      if bytes > 15 || scalar.value == 0 { break }
      kept.append(scalar)
    }
    return String(kept)
  }

  /// The options with sizes in whole pages, or what is wrong with them.
  func validated() throws(ThreadError) -> ThreadOptions {
    var options = self
    options.name = keptName
    let minimum = max(sysconf(Int32(_SC_THREAD_STACK_MIN)), 16 << 10)
    guard (minimum...1 << 40).contains(stackSize) else {
      throw ThreadError(code: .badStackSize(bytes: stackSize, minimum: minimum), threadName: options.name)
    }
    guard (0...1 << 30).contains(guardSize) else {
      throw ThreadError(code: .badGuardSize(bytes: guardSize), threadName: options.name)
    }
    if let niceness, !(-20...19).contains(niceness) {
      throw ThreadError(code: .badNiceness(niceness), threadName: options.name)
    }
    let page = sysconf(Int32(_SC_PAGESIZE))
    options.stackSize = (stackSize + page - 1) / page * page
    options.guardSize = (guardSize + page - 1) / page * page
    return options
  }
}
