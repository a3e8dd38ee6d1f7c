import Glibc
import Synchronization

/// The names of threads by their id: as they named themselves, or else as the kernel knows them.
struct ThreadNames {
  private var names: [Int32: String] = [:]

  /// Takes the names that the threads gave themselves. The registry's mutex is held.
  mutating func add(_ records: [ThreadRecord]) {
    for record in records {
      if let name = record.name { names[record.tid.load(ordering: .relaxed)] = name }
    }
  }

  /// The name of a thread. Reads a file where the thread gave itself no name, so no lock should be held.
  subscript(tid: Int32) -> String {
    mutating get {
      if let name = names[tid] { return name }
      let name = Self.kernelName(of: tid) ?? "thread-\(tid)"
      names[tid] = name
      return name
    }
  }

  /// What `/proc` has as the thread's name: at most 15 bytes; nil if the thread is gone.
  private static func kernelName(of tid: Int32) -> String? {
    let file = open("/proc/self/task/\(tid)/comm", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { buffer in
      let length = read(file, buffer.baseAddress, buffer.count)
      guard length > 1 else { return nil }
      return String(decoding: buffer[..<(length - 1)], as: UTF8.self)
    }
  }
}
