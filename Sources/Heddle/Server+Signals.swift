import CPlatform
import Glibc
import RunLoops

/// Serving as the main job of a process.
extension Server {
  /// Serves on the calling thread until SIGTERM or SIGINT asks for a drain; a second one ends the process at once.
  ///
  /// To be called from the main thread, before other threads are made: the two signals are blocked for every thread, and read by the
  /// run loop as an input source. SIGPIPE is ignored from here on.
  ///
  /// - Parameter whenUp: called once, on this thread, when clients are being answered. Default: nothing
  /// - Returns: how it ended
  /// - Throws: if the minimum of threads cannot be had
  @discardableResult
  public func run(whenUp: () -> Void = {}) throws -> Outcome {
    signal(SIGPIPE, SIG_IGN)
    var wanted = sigset_t()
    sigemptyset(&wanted)
    sigaddset(&wanted, SIGTERM)
    sigaddset(&wanted, SIGINT)
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &wanted, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let descriptor = signalfd(-1, &wanted, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    guard descriptor >= 0 else { throw ServerError(text: "signalfd failed: \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    let source = DescriptorSource(descriptor: descriptor, events: .readable) { _ in self.signalArrived(descriptor) }
    let loop = ThreadRunLoop.current
    loop.add(source, to: .common)
    defer { loop.remove(source) }
    return try serve(whenUp: whenUp)
  }

  private func signalArrived(_ descriptor: Int32) {
    var info = signalfd_siginfo()
    while read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size) == MemoryLayout<signalfd_siginfo>.size {
      let name = info.ssi_signo == UInt32(SIGINT) ? "SIGINT" : "SIGTERM"
      if life.withLock({ $0.isDraining }) {
        configuration.log(.warning, "\(name) once more: ending at once")
        _exit(128 + Int32(bitPattern: info.ssi_signo))
      }
      configuration.log(.info, "\(name)")
      drain()
    }
  }
}

/// Something that the system did not give to a server; the text says what.
public struct ServerError: Error, CustomStringConvertible {
  let text: String
  /// One line for people.
  public var description: String { text }
}
