import CPlatform
import Locks
import Synchronization

/// The event loop of a thread: sleeps until one of its sources, timers or messages needs the thread, and
/// hands it over.
///
/// Every thread has one, made when it first asks for ``current``. The anatomy (modes, sources, timers,
/// observers, nested runs) is that of Core Foundation's run loops; the name differs from Foundation's so that
/// a program can import both. A loop that waits with no timer due makes no system call and no wake-up at all.
///
/// One turn of the loop: observers "before timers"; due timers; observers "before sources"; blocks to
/// perform, in their order; signalled custom sources; the driver, if there is one (a worker of the pool). If
/// anything was handled, the next turn follows. Otherwise: observers "before waiting"; sleep; observers
/// "after waiting"; ready descriptor sources.
///
/// From any thread: ``perform(inModes:_:)``, ``performAndWait(inModes:_:)``, ``stop()``, ``wakeUp()``,
/// ``isWaiting``, ``statistics``, adding and removing of sources, timers and observers, and what these offer
/// themselves. All else belongs to the loop's own thread, and says so.
public final class ThreadRunLoop: @unchecked Sendable {
  // Unchecked: `mailbox` and `counters` are for any thread. All variables belong to the loop's thread, and
  // the functions that touch them check or are called by those that do.

  /// What a turn looks at, apart from the parking word. Behind a pointer, because exclusive access to a
  /// class's variables is checked at run time.
  struct TurnState {
    /// Something happened since the turn's slow part ran: look again before sleeping.
    var changed = true
    /// The mode has timers, or observers of each turn.
    var needsAttention = false
    /// The mode has descriptor sources.
    var hasDescriptors = false
    /// The driver's turn is on the stack.
    var isDriverRunning = false
    var driverVersion = 0
  }

  let mailbox = Mailbox()
  let counters = LoopCounters()
  let state: UnsafeMutablePointer<TurnState>

  // Of these, those that every turn looks at are not checked for exclusive access at run time: they are the thread's own, and no
  // access lasts longer than a line.
  @exclusivity(unchecked) var clock: any RunLoopClock = MonotonicClock()
  var modes: [RunLoopMode: ModeState] = [:]
  /// The mode of the innermost run; nil outside of runs.
  var current: ModeState?
  /// What was added to the common modes, for modes that become common later.
  var commonSources: [CustomSource] = []
  var commonDescriptors: [DescriptorSource] = []
  var commonTimers: [RunLoopTimer] = []
  var commonObservers: [RunLoopObserver] = []

  /// Blocks that the current mode performs, and those that it does not.
  @exclusivity(unchecked) var ready = PerformQueue()
  var held = PerformQueue()
  /// Sources whose signal waits; those that the current mode does not watch.
  @exclusivity(unchecked) var signalled: [CustomSource] = []
  var heldSignals: [CustomSource] = []
  /// Kept for its memory.
  var inbox: [Mailbox.Message] = []
  var performSequence: UInt64 = 0
  var timerSequence: UInt64 = 0

  @exclusivity(unchecked) var driver: (any RunLoopDriver)?
  var driverModes: Set<RunLoopMode> = []
  @exclusivity(unchecked) var pollWakeDescriptor: Int32 = -1
  @exclusivity(unchecked) var notifications = NotificationQueue()

  private init() {
    state = .allocate(capacity: 1)
    state.initialize(to: TurnState())
    modeState(.default).isCommon = true
  }

  deinit { state.deallocate() }

  /// The calling thread's run loop, made at first use. It ends with the thread. May be called from any
  /// thread.
  public static var current: ThreadRunLoop {
    if let loop = currentIfMade { return loop }
    let loop = ThreadRunLoop()
    heddle_tls_set(HEDDLE_TLS_LOOP, Unmanaged.passRetained(loop).toOpaque())
    if OwnedThread.current == nil { endRunLoopWithForeignThread() }
    return loop
  }

  /// The calling thread's run loop, if it has one by now.
  package static var currentIfMade: ThreadRunLoop? {
    guard let pointer = heddle_tls_get(HEDDLE_TLS_LOOP) else { return nil }
    return Unmanaged<ThreadRunLoop>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Whether this is the calling thread's own loop.
  var isOwn: Bool { heddle_tls_get(HEDDLE_TLS_LOOP) == Unmanaged.passUnretained(self).toOpaque() }

  func preconditionOwnThread(_ function: StaticString = #function) {
    precondition(isOwn, "ThreadRunLoop.\(function) is called on another thread than the loop's own")
  }

  /// The mode that the innermost run is in; nil outside of runs. Own thread only.
  public var currentMode: RunLoopMode? {
    preconditionOwnThread()
    return current?.mode
  }

  /// Whether the loop sleeps now. A glance: it may have changed by the time it is looked at. May be read from
  /// any thread.
  public var isWaiting: Bool { counters.isWaiting }

  /// How much the loop has turned, worked and waited. May be read from any thread.
  public var statistics: RunLoopStatistics { counters.snapshot() }

  /// Turns since the loop was made. May be read from any thread.
  package var iterationsTotal: UInt64 { counters.iterationsTotal }

  /// Replaces the clock; for tests, before anything is added. Own thread only.
  package func setClock(_ clock: any RunLoopClock) {
    preconditionOwnThread()
    self.clock = clock
  }

  /// Called at the ``RunLoopTestPoint``s; set it before the loop is shared with another thread.
  package var testHook: (@Sendable (RunLoopTestPoint) -> Void)? {
    get { mailbox.testHook }
    set { mailbox.testHook = newValue }
  }
}
