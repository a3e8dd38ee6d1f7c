import Glibc

/// What the kernel tells of a process.
package enum ProcessFiles {
  /// The names in a folder, but for `.` and `..`.
  package static func entries(of path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The text of a file up to a limit, empty if there is none.
  package static func text(of path: String, limit: Int = 64 * 1024) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// Where the descriptors of this process lead, but for the one that looks.
  package static func openDescriptors() -> [String] {
    entries(of: "/proc/self/fd").compactMap { number in
      var buffer = [CChar](repeating: 0, count: 4096)
      let count = readlink("/proc/self/fd/" + number, &buffer, buffer.count)
      // The folder's own descriptor is closed by now.
      return count < 0
        ? nil : number + " " + String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  /// The names of the threads of this process.
  package static func threadNames() -> [String] {
    entries(of: "/proc/self/task").map { text(of: "/proc/self/task/\($0)/comm") }
  }
}
