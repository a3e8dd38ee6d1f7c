import Glibc

/// A folder for one test. It is removed when the object goes.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/heddle-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ClientError.system("mkdtemp", errno) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  func write(_ name: String, _ text: String) throws {
    guard let file = fopen(path + "/" + name, "w") else { throw ClientError.system("fopen \(name)", errno) }
    fputs(text, file)
    fclose(file)
  }

  func makeFolder(_ name: String) throws {
    guard mkdir(path + "/" + name, 0o755) == 0 else { throw ClientError.system("mkdir \(name)", errno) }
  }

  deinit { TemporaryFolder.removeAll(path) }

  /// Links are removed and not followed: `remove` fails on nothing but a folder that is not empty.
  private static func removeAll(_ path: String) {
    if remove(path) == 0 { return }
    for name in ProcessFiles.entries(of: path) { removeAll(path + "/" + name) }
    remove(path)
  }
}
