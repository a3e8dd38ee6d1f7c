import HTTPMessages
import Testing

@Suite("HTTPMessages: request")
struct RequestTests {
  @Test(
    "dot segments: RFC 3986 section 5.2.4 and 5.4, and encoded ones",
    arguments: [
      ("/a/b/c/./../../g", "/a/g"), ("/mid/content=5/../6", "/mid/6"),
      ("/b/c/./g", "/b/c/g"), ("/b/c/.", "/b/c/"), ("/b/c/./", "/b/c/"), ("/b/c/..", "/b/"),
      ("/b/c/../", "/b/"),
      ("/b/c/../g", "/b/g"), ("/b/c/../..", "/"), ("/b/c/../../", "/"), ("/b/c/../../g", "/g"),
      ("/b/c/../../../g", "/g"), ("/b/c/../../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"),
      ("/b/c/g.", "/b/c/g."),
      ("/b/c/.g", "/b/c/.g"), ("/b/c/g..", "/b/c/g.."), ("/b/c/..g", "/b/c/..g"), ("/b/c/./../g", "/b/g"),
      ("/b/c/./g/.", "/b/c/g/"), ("/b/c/g/./h", "/b/c/g/h"), ("/b/c/g/../h", "/b/c/h"),
      ("/", "/"), ("/.", "/"), ("/..", "/"), ("//", "//"), ("/a//../b", "/a/b"), ("/a//b", "/a//b"),
      ("/...", "/..."),
      ("/a/%2e/b", "/a/b"), ("/a/%2E%2e/b", "/b"), ("/a/.%2e", "/"), ("/a/..%2F..%2Fb", "/b"),
      ("/%2e%2e%2fa", "/a"),
      ("/a/%252e%252e/b", "/a/%2e%2e/b"),
    ])
  func dotSegments(target: String, path: String) {
    #expect(Request(target: target).path == path)
  }

  @Test(
    "percent-decoding happens once; what is no escape, and NUL, stays",
    arguments: [
      ("/a%20b", "/a b"), ("/%C3%A9", "/é"), ("/%c3%a9", "/é"), ("/a+b", "/a+b"), ("/%2525", "/%25"),
      ("/%", "/%"),
      ("/%2", "/%2"), ("/%zz", "/%zz"), ("/%00", "/%00"), ("/a%2Fb", "/a/b"), ("/%41%", "/A%"),
      ("/%FF", "/\u{FFFD}"),
      ("http://host/a%20b?c", "/a b"), ("http://host", "/"), ("/a%3Fb?c", "/a?b"),
    ])
  func decoding(target: String, path: String) {
    #expect(Request(target: target).path == path)
  }

  @Test("raw parts stay raw")
  func raw() {
    let request = Request(target: "/a%20b/../c?d=%20+e")
    #expect(request.target == "/a%20b/../c?d=%20+e")
    #expect(request.rawPath == "/a%20b/../c")
    #expect(request.rawQuery == "d=%20+e")
    #expect(Request(target: "/").rawQuery == nil)
    #expect(Request(method: .options, target: "*").path == "*")
  }

  @Test(
    "query items",
    arguments: [
      ("/?a=1&b=2", "b", "2"), ("/?a=1&a=2", "a", "1"), ("/?a", "a", ""), ("/?a=", "a", ""),
      ("/?a=b=c", "a", "b=c"),
      ("/?=x", "", "x"), ("/?a%20b=c", "a b", "c"), ("/?a+b=c+d%2Be", "a b", "c d+e"), ("/?&&a=1&", "a", "1"),
      ("/?A=1", "a", nil), ("/?ab=1", "a", nil), ("/?a=1", "ab", nil), ("/", "a", nil), ("/?", "", nil),
      ("/?a=%C3%A9", "a", "é"), ("/?%61=1", "a", "1"), ("/?a=%", "a", "%"), ("/?a%3Db=1", "a=b", "1"),
      ("/?a=1%26b=2", "b", nil),
    ] as [(String, String, String?)])
  func query(target: String, name: String, value: String?) {
    let request = Request(target: target)
    #expect(request.query(name) == value)
    #expect(request.queryItems.first { $0.name == name }?.value == value)
  }

  @Test("whole numbers from queries")
  func numbers() throws {
    let request = Request(target: "/?ms=50&neg=-3&big=300&text=x&plus=%2B5&huge=99999999999999999999")
    #expect(request.query("ms", as: Int.self) == 50)
    #expect(request.query("neg", as: Int8.self) == -3)
    #expect(request.query("neg", as: UInt.self) == nil)
    #expect(request.query("big", as: UInt8.self) == nil)
    #expect(request.query("text", as: Int.self) == nil)
    #expect(request.query("none", as: Int.self) == nil)
    #expect(try request.query("ms", in: 0...60000) == 50)
    #expect(try request.query("none", in: 0...60000, default: 7) == 7)
    for (name, detail) in [
      ("text", "text must be a whole number from 0 to 100, not “x”"),
      ("big", "big must be a whole number from 0 to 100, not “300”"),
      ("huge", "huge must be a whole number from 0 to 100, not “99999999999999999999”"),
      ("none", "the query item none is missing: a whole number from 0 to 100"),
    ] {
      let error = #expect(throws: HTTPError.self) { try request.query(name, in: 0...100) }
      #expect(error?.status == .badRequest && error?.detail == detail)
    }
  }

  @Test("fields: any case, repeated ones joined")
  func fields() {
    let request = Request(
      target: "/",
      headers: [
        "Accept": "a", "Cookie": "x=1", "accept": "b", "cookie": "y=2",
        "Content-Type": "Text/Plain; charset=x",
      ])
    #expect(request.header("ACCEPT") == "a, b")
    #expect(request.header("Cookie") == "x=1; y=2")
    #expect(request.header("Host") == nil)
    #expect(request.headers.map(\.name) == ["Accept", "Cookie", "accept", "cookie", "Content-Type"])
    #expect(request.contentType?.essence == "text/plain")
    #expect(Request(target: "/", headers: ["Content-Type": "nonsense"]).contentType == nil)
    #expect(Request(target: "/").contentType == nil)
  }

  @Test("a field that is not UTF-8 is repaired")
  func latin1() {
    let storage = RequestStorage()
    [UInt8(0x61), 0xE9].withUnsafeBytes { value in withRaw("X") { storage.addField(name: $0, value: value) } }
    #expect(Request(storage).header("x") == "a\u{FFFD}")
  }

  @Test("body as bytes, in place, and as text")
  func body() {
    let request = Request(method: .post, target: "/", body: Array("grüße".utf8))
    #expect(request.body == Array("grüße".utf8))
    #expect(request.bodyCount == 7)
    #expect(request.withBodyBytes { $0.count } == 7)
    #expect(request.bodyText == "grüße")
    #expect(Request(target: "/", body: [0x61, 0xFF]).bodyText == nil)
    #expect(Request(target: "/").bodyText == "")
  }

  @Test("a body that comes in pieces is one body")
  func pieces() {
    let storage = RequestStorage()
    storage.reserveBody(10)
    for piece in ["", "abc", "", "defghijklmnop", "q"] { withRaw(piece) { storage.appendBody($0) } }
    #expect(Request(storage).bodyText == "abcdefghijklmnopq")
  }

  @Test(
    "the peer's address",
    arguments: [
      ([2, 0, 0x1F, 0x90, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0], "192.0.2.1", 8080),
      (
        [10, 0, 0, 80, 0, 0, 0, 0, 0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1, 0, 0, 0, 0],
        "2001:db8::1", 80
      ),
      (
        [10, 0, 0, 80, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 10) + [
          0xFF, 0xFF, 10, 1, 2, 3, 0, 0, 0, 0,
        ], "10.1.2.3", 80
      ),
      ([1, 0, 0x2F, 0x74], "unix", nil), ([], "", nil), ([2], "", nil), ([2, 0, 0, 80, 1], "", 80),
      ([99, 0, 0, 0], "", nil),
    ] as [([UInt8], String, Int?)])
  func peer(bytes: [UInt8], address: String, port: Int?) {
    let storage = RequestStorage()
    bytes.withUnsafeBytes(storage.setPeer)
    #expect(Request(storage).remoteAddress == address)
    #expect(Request(storage).remotePort == port)
  }

  @Test(
    "ids are 16 hexadecimal digits",
    arguments: [(0, "0000000000000000"), (0xABC, "0000000000000abc"), (UInt64.max, "ffffffffffffffff")])
  func id(number: UInt64, text: String) {
    let storage = RequestStorage()
    storage.id = number
    #expect(Request(storage).id == text)
    #expect(RequestID(number).description == text)
  }

  @Test("cancelling is seen by every copy")
  func cancel() throws {
    let request = Request(target: "/")
    let copy = request
    try copy.checkCancelled()
    #expect(!copy.isCancelled)
    request.storage.cancel()
    #expect(copy.isCancelled)
    #expect(throws: CancelledError.self) { try copy.checkCancelled() }
  }

  @Test("whether a request is still held can be told")
  func held() {
    var storage = RequestStorage()
    var kept: [Request] = []
    #expect(isKnownUniquelyReferenced(&storage))
    kept.append(Request(storage))
    #expect(!isKnownUniquelyReferenced(&storage))
    kept.removeAll()
    #expect(isKnownUniquelyReferenced(&storage))
  }
}
