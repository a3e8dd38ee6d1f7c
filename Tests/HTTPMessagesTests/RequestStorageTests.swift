import HTTPMessages
import Testing

@Suite("HTTPMessages: request storage")
struct RequestStorageTests {
  @Test(
    "path and query of every form of target",
    arguments: [
      ("GET", "/a/b?c=d?e", "/a/b", "c=d?e"), ("GET", "/", "/", nil), ("GET", "/?", "/", ""),
      ("OPTIONS", "*", "*", nil),
      ("GET", "http://host:80/a?b", "/a", "b"), ("GET", "http://host", "/", nil),
      ("GET", "http://host?b=/c", "/", "b=/c"),
      ("OPTIONS", "http://host", "*", nil), ("OPTIONS", "http://host/", "/", nil),
      ("OPTIONS", "http://host?a", "/", "a"),
      ("GET", "/x?http://host/y", "/x", "http://host/y"), ("GET", "/http://host/y", "/http://host/y", nil),
    ] as [(String, String, String, String?)])
  func target(method: String, target: String, path: String, query: String?) throws {
    let method = try #require(Method(method))
    // The method may come before the target or after it.
    for methodFirst in [true, false] {
      let storage = RequestStorage()
      if methodFirst { storage.method = method }
      storage.setTarget(target)
      storage.method = method
      #expect(text(storage.targetBytes) == target)
      #expect(text(storage.pathBytes) == path)
      #expect(text(storage.queryBytes) == query)
    }
  }

  @Test("fields are found by name in any case, in order, and counted")
  func fields() {
    let storage = RequestStorage()
    storage.addField("Host", "a")
    storage.addField("X-A", "1")
    storage.addField("x-a", "2")
    storage.addField("Empty", "")
    #expect(storage.fieldCount == 4)
    #expect(text(storage.firstField(named: "HOST")) == "a")
    #expect(text(storage.firstField(named: "x-A")) == "1")
    #expect(text(storage.firstField(named: "empty")) == "")
    #expect(storage.firstField(named: "X") == nil)
    #expect(storage.fieldCount(named: "X-A") == 2)
    #expect(storage.fieldCount(named: "X-B") == 0)
    #expect(text(storage.field(at: 2).value) == "2")
  }

  @Test("a long target, many and long fields, and a long body outgrow the first memory and stay whole")
  func growth() {
    let storage = RequestStorage()
    let target = "/" + (0..<2000).map { "\($0)" }.joined(separator: "/")
    let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    storage.setTarget(target)
    for index in 0..<1000 { storage.addField("X-\(index)", String(repeating: "\(index),", count: index)) }
    body[..<50_001].withUnsafeBytes(storage.appendBody)
    body[50_001...].withUnsafeBytes(storage.appendBody)
    #expect(storage.fieldCount == 1000)
    for index in 0..<1000 {
      let field = storage.field(at: index)
      #expect(text(field.name) == "X-\(index)")
      #expect(text(field.value) == String(repeating: "\(index),", count: index))
    }
    #expect(text(storage.targetBytes) == target)
    #expect(Request(storage).headers.count == 1000)
    #expect(Request(storage).body == body)
  }

  @Test("nothing of a request is left after reset, whatever its size", arguments: [10, 40_000, 200_000])
  func reset(size: Int) throws {
    var router = Router()
    router.get("/a/:x/*") { _ in .empty() }
    let table = router.freeze()
    let storage = RequestStorage()
    for round in 0..<3 {
      storage.id = 7
      storage.receivedAt = 8
      #expect(withRaw("DELETE") { storage.setMethod($0) })
      storage.setTarget("/a/b/c?d=\(round)")
      storage.addField("X-Old", String(repeating: "o", count: size))
      storage.reserveBody(size)
      withRaw(String(repeating: "b", count: size)) { storage.appendBody($0) }
      withRaw("\u{2}\u{0}\u{1}\u{2}\u{1}\u{2}\u{3}\u{4}") { storage.setPeer($0) }
      #expect(table.match(method: .get, path: storage.pathBytes, into: storage) == .found(index: 0))
      storage.cancel()
      let request = Request(storage)
      #expect(request.isCancelled && request.parameter("x") == "b" && request.wildcard == "c")
      #expect(
        request.query("d") == "\(round)" && request.bodyCount == size && request.remoteAddress == "1.2.3.4")

      storage.reset()
      #expect(storage.id == 0 && storage.receivedAt == 0 && storage.method == .get)
      #expect(storage.targetBytes.isEmpty && storage.pathBytes.isEmpty && storage.queryBytes == nil)
      #expect(storage.fieldCount == 0 && storage.firstField(named: "X-Old") == nil)
      #expect(storage.bodyCount == 0 && storage.bodyBytes.isEmpty && storage.peerBytes.isEmpty)
      #expect(storage.routeIndex == -1 && !storage.isCancelled)
      #expect(request.parameter("x") == nil && request.wildcard == nil && request.queryItems.isEmpty)
      #expect(request.headers.isEmpty && request.remoteAddress == "")
    }
  }

  @Test("a match that fails leaves nothing of the one before")
  func rematch() {
    var router = Router()
    router.get("/a/:x/*") { _ in .empty() }
    let table = router.freeze()
    let (match, request) = table.match(.get, "/a/b/c")
    #expect(match == .found(index: 0) && request.storage.routeIndex == 0)
    #expect(withRaw("/b") { table.match(method: .get, path: $0, into: request.storage) } == .notFound)
    #expect(request.storage.routeIndex == -1 && request.parameter("x") == nil && request.wildcard == nil)
  }

  @Test("a method that is no token changes nothing")
  func badMethod() {
    let storage = RequestStorage()
    storage.method = .put
    #expect(!withRaw("A B") { storage.setMethod($0) })
    #expect(storage.method == .put)
  }
}
