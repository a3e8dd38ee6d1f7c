import Glibc
import Heddle

/// A program that was started by a test. What it writes, to standard output and to standard error, comes as one text.
///
/// Belongs to one thread at a time. A child that is still there when the object goes is killed.
final class ChildProcess {
  enum End: Equatable {
    case exited(Int32)
    case killed(Int32)
  }

  /// The folder of the test bundle, where the package's executables are too.
  static let folder: String = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
  }()

  /// How long the child may be silent where something is waited for.
  private static let patience: Int32 = 30_000

  private static let starting = Lock("test.spawn")

  let pid: pid_t
  private let output: Int32
  private var buffer: [UInt8] = []
  private var end: End?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: the program
  ///   - arguments: without the program's name
  ///   - environment: the whole of it, but for what a sanitizer in it is told
  ///   - input: what it reads from standard input
  init(_ path: String, _ arguments: [String], environment: [String] = [], input: String = "") throws {
    // Another child that is started between `pipe` and `fcntl` would keep this one's output open.
    ChildProcess.starting.lock()
    defer { ChildProcess.starting.unlock() }
    var pipes: [Int32] = [-1, -1]
    guard pipe(&pipes) == 0, let source = tmpfile() else { throw ClientError.system("pipe", errno) }
    defer { fclose(source) }
    for descriptor in pipes + [fileno(source)] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    fputs(input, source)
    rewind(source)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, fileno(source), 0)
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 1)
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 2)
    // Whatever the test's threads block or ignore is not the child's affair.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let sanitizer = getenv("ASAN_OPTIONS").map { "ASAN_OPTIONS=" + String(cString: $0) }
    let variables = (environment + (sanitizer.map { [$0] } ?? [])).map { strdup($0) } + [nil]
    defer { for text in words + variables { free(text) } }
    var child: pid_t = 0
    let result = posix_spawn(&child, path, &actions, &attributes, words, variables)
    Glibc.close(pipes[1])
    output = pipes[0]
    pid = child
    guard result == 0 else {
      end = .exited(127)
      throw ClientError.system("posix_spawn \(path)", result)
    }
  }

  deinit {
    if end == nil {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
    Glibc.close(output)
  }

  func signal(_ number: Int32) { kill(pid, number) }

  /// The next line that it writes. Throws where it ended, or wrote nothing for long.
  func line() throws -> String {
    while true {
      if let index = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeFirst(index + 1) }
        return String(decoding: buffer[..<index], as: UTF8.self)
      }
      guard try fill() else {
        throw ClientError.closed("a program that ended: \(String(decoding: buffer, as: UTF8.self))")
      }
    }
  }

  /// Reads lines up to one that holds a text.
  func line(with text: String) throws -> String {
    while true {
      let line = try line()
      if line.contains(text) { return line }
    }
  }

  /// Waits for its end. Returns how it ended and what it wrote that was not read yet.
  func wait() throws -> (end: End, text: String) {
    // Its end of the pipe is closed when it ends, so that nothing need be asked again and again.
    while try fill() {}
    var status: Int32 = 0
    guard waitpid(pid, &status, 0) == pid else { throw ClientError.system("waitpid", errno) }
    let isExit = status & 0x7F == 0
    let result: End = isExit ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F)
    end = result
    return (result, String(decoding: buffer, as: UTF8.self))
  }

  private func fill() throws -> Bool {
    var wanted = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    var ready = poll(&wanted, 1, ChildProcess.patience)
    while ready < 0, errno == EINTR { ready = poll(&wanted, 1, ChildProcess.patience) }
    guard ready > 0 else { throw ClientError.timeout("the output of a program") }
    var piece = [UInt8](repeating: 0, count: 4096)
    let count = read(output, &piece, piece.count)
    if count > 0 { buffer += piece[..<count] }
    return count > 0
  }
}
