import Glibc

/// A log of lines for people, on standard error unless told otherwise. May be used from any thread.
public struct Log: Sendable {
  /// How much a line matters.
  public enum Level: Int, Sendable, Comparable, CaseIterable {
    case debug, info, warning, error

    /// Orders by weight.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// Lines below this level are dropped. Default `info`.
  public var level: Level

  private let write: @Sendable (String) -> Void

  /// A log from a level on.
  ///
  /// - Parameters:
  ///   - level: lines below it are dropped
  ///   - write: takes each line, without its end; must be callable from any thread. Default: standard error
  public init(level: Level = .info, write: @escaping @Sendable (String) -> Void = Log.toStandardError) {
    self.level = level
    self.write = write
  }

  /// Writes a line, if its level is high enough. The text is made only then.
  public func callAsFunction(_ level: Level, _ text: @autoclosure () -> String) {
    if level >= self.level { write(text()) }
  }

  /// Writes a line to standard error in one system call, so that lines of several threads do not mix.
  @Sendable
  public static func toStandardError(_ line: String) {
    var bytes = Array(line.utf8)
    // A line of ours is one line, whatever a client or a handler put into it.
    for index in bytes.indices where bytes[index] < 0x20 && bytes[index] != 0x09 { bytes[index] = UInt8(ascii: "?") }
    bytes.append(UInt8(ascii: "\n"))
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }
}
