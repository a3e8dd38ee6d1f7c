import Glibc

/// What the kernel says of this process: memory, processor time, descriptors, context switches.
package struct ProcessFigures: Sendable {
  package var residentBytes: UInt64 = 0
  package var virtualBytes: UInt64 = 0
  package var cpuSeconds: Double = 0
  package var openFileDescriptors = 0
  /// The most descriptors that the process may open.
  package var maxFileDescriptors: UInt64 = 0
  package var threads = 0
  package var voluntarySwitches = 0
  package var involuntarySwitches = 0
  /// Seconds since 1970.
  package var startTime: Double = 0

  package init() {}

  /// The figures of this moment: three files of /proc and two system calls, some tens of microseconds.
  package static func read() -> ProcessFigures {
    var result = ProcessFigures()
    var usage = rusage()
    if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
      result.cpuSeconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
      result.voluntarySwitches = usage.ru_nvcsw
      result.involuntarySwitches = usage.ru_nivcsw
    }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      result.maxFileDescriptors = UInt64(limit.rlim_cur)
    }
    let pages = ProcFile.fields(of: "/proc/self/statm").compactMap { UInt64($0) }
    if pages.count > 1 {
      let size = UInt64(max(1, sysconf(Int32(_SC_PAGESIZE))))
      result.virtualBytes = pages[0] * size
      result.residentBytes = pages[1] * size
    }
    result.openFileDescriptors = ProcFile.entryCount(of: "/proc/self/fd")
    result.threads = ProcFile.entryCount(of: "/proc/self/task")
    result.startTime = startOfProcess
    return result
  }

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

  /// Boot time plus the process's start in clock ticks after boot: found once.
  private static let startOfProcess: Double = {
    let text = ProcFile.text(of: "/proc/self/stat")
    // The name, in brackets, may hold blanks; what follows it does not.
    let afterName = text.split(separator: ")").last.map { $0.split(separator: " ") } ?? []
    guard afterName.count > 19, let ticks = Double(afterName[19]) else { return 0 }
    var boot = 0.0
    for line in ProcFile.text(of: "/proc/stat").split(separator: "\n") where line.hasPrefix("btime ") {
      boot = Double(line.dropFirst(6)) ?? 0
    }
    return boot + ticks / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
  }()
}

/// Small files of /proc, read whole.
enum ProcFile {
  /// The text of a file, empty if it cannot be read.
  static func text(of path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(file, &buffer, buffer.count)
      if count <= 0 { break }
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The words of a file.
  static func fields(of path: String) -> [Substring] {
    text(of: path).split { $0 == " " || $0 == "\n" }
  }

  /// The entries of a folder, but for `.` and `..` and, in /proc/self/fd, the descriptor that looks.
  static func entryCount(of path: String) -> Int {
    guard let folder = opendir(path) else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
      if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
    }
    return path.hasSuffix("/fd") ? max(0, count - 1) : count
  }
}
