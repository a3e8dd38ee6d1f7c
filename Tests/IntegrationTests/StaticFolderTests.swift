import Glibc
import Heddle
import Testing

/// `--public`: the files of a folder, and nothing else.
@Suite struct StaticFolderTests {
  /// A folder `site` with files, beside a file that must not be read.
  private static func site<Value>(_ body: (TestServer, RawClient) throws -> Value) throws -> Value {
    let folder = try TemporaryFolder()
    try folder.write("secret.txt", "secret")
    try folder.makeFolder("site")
    try folder.makeFolder("site/sub")
    try folder.makeFolder("private")
    try folder.write("private/file.txt", "secret")
    try folder.write("site/index.html", "<p>first page</p>")
    try folder.write("site/style.css", "p { color: red }")
    try folder.write("site/with space.txt", "spaced")
    try folder.write("site/.hidden", "hidden")
    try folder.write("site/sub/index.html", "<p>sub page</p>")
    try folder.write("site/empty.txt", "")
    let links = [
      ("../secret.txt", "link.txt"), ("../private", "linked"), (folder.path + "/secret.txt", "absolute.txt"),
      ("loop", "loop"),
    ]
    for (target, name) in links { _ = symlink(target, folder.path + "/site/" + name) }
    mkfifo(folder.path + "/site/pipe", 0o644)
    return try TestServer(set: { $0.pages = .folder(folder.path + "/site") }).run { server in
      try body(server, try server.connect())
    }
  }

  @Test func filesAreServedWithTheirTypes() throws {
    try StaticFolderTests.site { _, client in
      for (target, type, text) in [
        ("/", "text/html; charset=utf-8", "<p>first page</p>"),
        ("/index.html", "text/html; charset=utf-8", "<p>first page</p>"),
        ("/style.css", "text/css; charset=utf-8", "p { color: red }"),
        ("/with%20space.txt", "text/plain; charset=utf-8", "spaced"),
        ("/sub/", "text/html; charset=utf-8", "<p>sub page</p>"),
        ("/sub/../style.css", "text/css; charset=utf-8", "p { color: red }"),
        ("/empty.txt", "text/plain; charset=utf-8", ""),
      ] {
        let reply = try client.exchange("GET", target)
        #expect(reply.status == 200, "\(target)")
        #expect(reply["Content-Type"] == type, "\(target)")
        #expect(reply["X-Content-Type-Options"] == "nosniff")
        #expect(reply.text == text, "\(target)")
        let head = try client.exchange("HEAD", target)
        #expect(head["Content-Length"] == reply["Content-Length"] && head["ETag"] == reply["ETag"], "\(target)")
      }
      let folder = try client.exchange("GET", "/sub")
      #expect(folder.status == 301 && folder["Location"] == "/sub/")
      // Introspection stays where it is.
      #expect(try client.exchange("GET", "/healthz").status == 200)
      #expect(try client.exchange("POST", "/style.css").status == 405)
    }
  }

  @Test(arguments: [
    "/nothing.txt", "/nothing/", "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/sub/../../secret.txt",
    "/sub/%2e%2e/%2e%2e/secret.txt", "/sub%2f..%2f..%2fsecret.txt", "//secret.txt", "/%2ftmp", "/link.txt",
    "/linked/file.txt", "/absolute.txt", "/loop", "/pipe", "/style.css/", "/style.css/x", "/secret.txt%00.html",
    "/index.html%00", "/..;/secret.txt", "/%252e%252e/secret.txt", "/.%2e/secret.txt", "/..%5csecret.txt",
  ])
  func nothingElseCanBeRead(target: String) throws {
    try StaticFolderTests.site { _, client in
      let reply = try client.exchange("GET", target)
      #expect(reply.status == 404 || reply.status == 400, "\(reply.status)")
      #expect(!reply.text.contains("secret\n") && reply.text != "secret")
      // Not even where the folder is.
      #expect(!reply.text.contains("/tmp/"))
    }
  }

  @Test func unchangedFilesAreNotSentAgain() throws {
    try StaticFolderTests.site { _, client in
      let first = try client.exchange("GET", "/style.css")
      let tag = try #require(first["ETag"])
      #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""))
      for list in [tag, "W/" + tag, "\"other\", " + tag, "*"] {
        let again = try client.exchange("GET", "/style.css", ["If-None-Match: \(list)"])
        #expect(again.status == 304, "\(list)")
        #expect(again.body.isEmpty && again["ETag"] == tag)
      }
      let other = try client.exchange("GET", "/style.css", ["If-None-Match: \"other\""])
      #expect(other.status == 200 && other.text == first.text)
      #expect(try client.exchange("GET", "/index.html")["ETag"] != tag)
    }
  }

  @Test func aChangedFileHasAnotherTag() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.txt", "one")
    try TestServer(set: { $0.pages = .folder(folder.path) }).run { server in
      let client = try server.connect()
      let first = try client.exchange("GET", "/a.txt")
      try folder.write("a.txt", "three")
      let second = try client.exchange("GET", "/a.txt", ["If-None-Match: \(first["ETag"] ?? "")"])
      #expect(second.status == 200 && second.text == "three")
    }
  }

  @Test func aMissingFolderIsToldAtOnce() {
    #expect(throws: (any Error).self) {
      try TestServer(set: { $0.pages = .folder("/nowhere/at/all") })
    }
  }
}
