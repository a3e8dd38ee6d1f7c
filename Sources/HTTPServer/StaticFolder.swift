import CPlatform
import Glibc
package import HTTPMessages

/// The files of a folder, read on a worker, which may block.
///
/// Nothing outside the folder can be read: the kernel resolves each path beneath it (`openat2` with `RESOLVE_BENEATH`, also for
/// symbolic links); where the kernel has no such call, paths through symbolic links are refused altogether.
package final class StaticFolder: Sendable {
  private let folder: Int32

  /// The largest file that is served. A file is read into memory for each request.
  package static let maxFileBytes = 64 * 1024 * 1024

  /// Opens a folder.
  ///
  /// - Throws: ``ServiceError`` if it cannot be opened.
  package init(_ path: String) throws {
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw ServiceError.system("opening the folder “\(path)”", errno) }
  }

  deinit { close(folder) }

  /// The answer to a GET or HEAD for a file.
  ///
  /// - Parameter path: relative to the folder, percent-decoded, without dot segments; a folder's `index.html` stands for it.
  package func respond(to request: Request, path: String) throws -> Response {
    let name = path.isEmpty || path.hasSuffix("/") ? path + "index.html" : path
    guard !name.utf8.contains(0), !name.hasPrefix("/") else { throw HTTPError(.notFound) }
    let file = heddle_open_beneath(folder, name)
    guard file >= 0 else { throw StaticFolder.error(errno: -file) }
    defer { close(file) }
    var info = stat()
    guard fstat(file, &info) == 0 else { throw StaticFolder.error(errno: errno) }
    if info.st_mode & S_IFMT == S_IFDIR { return .redirect(to: request.rawPath + "/", status: .movedPermanently) }
    guard info.st_mode & S_IFMT == S_IFREG else { throw HTTPError(.notFound) }
    guard info.st_size <= StaticFolder.maxFileBytes else {
      throw HTTPError(.internalServerError, "the file is larger than \(StaticFolder.maxFileBytes) bytes")
    }
    let tag = "\"\(String(info.st_ino, radix: 16))-\(String(info.st_size, radix: 16))-\(StaticFolder.time(info))\""
    var headers: HeaderFields = ["ETag": tag, "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"]
    if let known = request.header("If-None-Match"), StaticFolder.matches(known, tag) {
      return Response(status: .notModified, headers: headers)
    }
    headers["Content-Type"] = MediaType.forFile(extension: StaticFolder.fileExtension(name)).description
    return Response(headers: headers, body: .bytes(try StaticFolder.contents(of: file, size: Int(info.st_size))))
  }

  private static func contents(of file: Int32, size: Int) throws -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let got = read(file, buffer.baseAddress.map { $0 + count }, size - count)
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = errno }
        // Shorter than it was a moment ago: what is there is what there is.
        if got <= 0 { return }
        count += got
      }
    }
    if failure != 0 { throw error(errno: failure) }
    return bytes
  }

  private static func time(_ info: stat) -> String {
    String(info.st_mtim.tv_sec, radix: 16) + "." + String(info.st_mtim.tv_nsec, radix: 16)
  }

  /// RFC 9110 section 13.1.2: a list of tags or `*`, compared weakly.
  private static func matches(_ list: String, _ tag: String) -> Bool {
    list.split(separator: ",").contains { item in
      let item = item.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
      let text = String(item)
      return text == "*" || text == tag || text == "W/" + tag
    }
  }

  private static func fileExtension(_ name: String) -> String {
    let last = name.split(separator: "/").last ?? ""
    let parts = last.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 ? String(parts[parts.count - 1]) : ""
  }

  /// What a client may know of a failure: that there is nothing, or that something is wrong here.
  private static func error(errno code: Int32) -> HTTPError {
    switch code {
    case ENOENT, ENOTDIR, ELOOP, EXDEV, EACCES, EPERM, ENAMETOOLONG: HTTPError(.notFound, "there is no such file")
    default: HTTPError(.internalServerError, "the file cannot be read now")
    }
  }
}
