import Glibc
import Testing

/// How often the server allocates for a request: limits that are checked in, since nobody notices a small allocation more by the clock.
///
/// Counted in the program as it is shipped: `scripts/test` builds it and names it in `HEDDLE_RELEASE_BINARY`. Without that the test is
/// left out, since a debug build allocates for every closure.
@Suite(.enabled(if: getenv("HEDDLE_RELEASE_BINARY") != nil, "HEDDLE_RELEASE_BINARY names no release build"))
struct AllocationTests {
  private static let binary = getenv("HEDDLE_RELEASE_BINARY").map { String(cString: $0) }

  /// A request, and how many allocations it may cost: what was measured when it was last made better.
  struct Case: CustomTestStringConvertible {
    let name: String
    let request: String
    let limit: Int
    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "a prebuilt answer through the pool", request: get("/plaintext"), limit: 0),
    Case(name: "the same with twelve fields more", request: get("/plaintext", fields: 12), limit: 0),
    Case(name: "the same without its body", request: "HEAD /plaintext HTTP/1.1\r\nHost: a\r\n\r\n", limit: 0),
    Case(name: "JSON made for the request", request: get("/json"), limit: 20),
    Case(name: "a query and a text made for the request", request: get("/lab/sleep?ms=0"), limit: 9),
    Case(
      name: "a body of 100 bytes, sent back",
      request: "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n" + String(repeating: "x", count: 100),
      limit: 10),
    Case(name: "a path that is not there", request: get("/nothing"), limit: 15),
    Case(name: "an inline route", request: get("/healthz"), limit: 30),
    Case(name: "an error that is thrown", request: get("/lab/throw"), limit: 21),
  ]

  private static func get(_ target: String, fields: Int = 0) -> String {
    let more = (0..<fields).map { "X-Field-\($0): a value of some length\r\n" }.joined()
    return "GET \(target) HTTP/1.1\r\nHost: a\r\n\(more)\r\n"
  }

  @Test func requestsAllocateNoMoreThanTheyDid() throws {
    let folder = try TemporaryFolder()
    let counter = folder.path + "/count.so"
    try AllocationTests.compile(counter)
    let count = try SharedCount(folder.path + "/count")
    let binary = try #require(AllocationTests.binary)
    let child = try ChildProcess(
      binary, ["serve", "--port", "0", "--lab", "--log-level", "info"],
      environment: ["LD_PRELOAD=\(counter)", "HEDDLE_ALLOCATIONS=\(count.path)"])
    let line = try child.line()
    let port = line.split(separator: " ").first { $0.hasPrefix("http://127.0.0.1:") }
      .flatMap { UInt16($0.split(separator: ":").last ?? "") }
    let client = try RawClient(port: try #require(port, "\(line)"))
    #expect(count.value > 0, "the counter is not in the process")

    for item in AllocationTests.cases {
      func ask(_ times: Int) throws {
        for _ in 0..<times {
          try client.send(item.request)
          _ = try client.receive(isHead: item.request.hasPrefix("HEAD"))
        }
      }
      // What is kept for the next request is made by the first ones.
      try ask(50)
      let before = count.value
      // Not so many that the log of the errors fills the pipe, which nobody empties meanwhile.
      try ask(300)
      let each = Double(count.value - before) / 300
      // The monitor's ticks and the date, once a second, are among them: far less than one for a request.
      #expect(each < Double(item.limit) + 0.5, "\(item.name): \(each) allocations, \(item.limit) are allowed")
    }
    child.signal(SIGTERM)
    #expect(try child.wait().end == .exited(0))
  }

  private static func compile(_ library: String) throws {
    let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let source = "/\(tests)/Allocations/count.c"
    // The compiler comes with Swift, whose folder may not be in the search path of the child.
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    let compiler = path.split(separator: ":").map { String($0) + "/clang" }.first { access($0, X_OK) == 0 }
    let clang = try ChildProcess(
      try #require(compiler, "no clang in PATH"), ["-shared", "-fPIC", "-O1", "-o", library, source],
      environment: ["PATH=\(path)"])
    let (end, text) = try clang.wait()
    #expect(end == .exited(0), "\(text)")
  }
}

/// A number in a file that another process counts up.
private final class SharedCount {
  let path: String
  private let memory: UnsafeMutableRawPointer

  init(_ path: String) throws {
    self.path = path
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw ClientError.system("open \(path)", errno) }
    defer { close(file) }
    guard ftruncate(file, 8) == 0, let memory = mmap(nil, 8, PROT_READ, MAP_SHARED, file, 0), memory != MAP_FAILED
    else { throw ClientError.system("mmap", errno) }
    self.memory = memory
  }

  deinit { munmap(memory, 8) }

  /// Read anew each time, since the other process writes it.
  var value: UInt64 {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 1) { copy in
      UnsafeMutableRawBufferPointer(copy).copyMemory(from: UnsafeRawBufferPointer(start: memory, count: 8))
      return copy[0]
    }
  }
}
