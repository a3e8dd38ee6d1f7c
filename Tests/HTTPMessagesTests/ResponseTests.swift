import HTTPMessages
import Testing

@Suite("HTTPMessages: response")
struct ResponseTests {
  private func bytes(_ response: Response) -> [UInt8] { response.body.withBytes { Array($0) } }

  @Test("every way to make one has its status, media type and bytes")
  func making() {
    let table: [(Response, Int, String?, String)] = [
      (.text("grüße"), 200, "text/plain; charset=utf-8", "grüße"),
      (.text("a", status: .created, type: .plainText), 201, "text/plain", "a"),
      (.bytes([0x61]), 200, "application/octet-stream", "a"),
      (.bytes([0x61], type: .svg, status: .accepted), 202, "image/svg+xml", "a"),
      (.json("{}"), 200, "application/json", "{}"),
      (.json(bytes: [0x5B, 0x5D]), 200, "application/json", "[]"),
      (.html("<p>"), 200, "text/html; charset=utf-8", "<p>"), (.empty(), 204, nil, ""),
      (.empty(.notModified), 304, nil, ""),
      (Response(), 200, nil, ""),
    ]
    for (response, code, type, body) in table {
      #expect(response.status.code == code)
      #expect(response.headers["content-type"] == type)
      #expect(bytes(response) == Array(body.utf8))
      #expect(response.body.count == body.utf8.count)
      #expect(response.shared == nil)
    }
  }

  @Test(
    "a redirect cannot be split, and a whole URI keeps its parts",
    arguments: [
      ("/a b", "/a%20b"), ("https://h/p?q=1&r#f", "https://h/p?q=1&r#f"), ("/a%20b", "/a%20b"),
      ("/100%", "/100%25"),
      ("/\r\nSet-Cookie: x", "/%0D%0ASet-Cookie:%20x"), ("/é", "/%C3%A9"), ("/\"<>", "/%22%3C%3E"),
    ])
  func redirect(to: String, location: String) {
    let response = Response.redirect(to: to)
    #expect(response.status == .seeOther)
    #expect(response.headers["Location"] == location)
  }

  @Test("a prepared answer is the same object again and again")
  func shared() {
    let prepared = SharedResponse(.text("hello", type: .plainText))
    let response = Response(shared: prepared)
    #expect(response.shared === prepared)
    #expect(response.status == .ok)
    #expect(response.headers == ["Content-Type": "text/plain"])
    #expect(bytes(response) == Array("hello".utf8))
    #expect(response.body.count == 5)
    let address = prepared.bodyBytes.baseAddress
    #expect(response.body.withBytes { $0.baseAddress } == address)
    #expect(SharedResponse(.empty()).bodyBytes.isEmpty)
  }

  @Test("a change makes a prepared answer one of its own, and leaves the prepared one alone")
  func detached() {
    let prepared = SharedResponse(.text("hello"))
    var (a, b, c, d) = (
      Response(shared: prepared), Response(shared: prepared), Response(shared: prepared),
      Response(shared: prepared)
    )
    a.headers["X-New"] = "1"
    b.status = .created
    c.body = .text("other")
    d.body = Response(shared: prepared).body
    #expect([a, b, c, d].allSatisfy { $0.shared == nil })
    #expect(
      a.headers["X-New"] == "1" && a.headers["Content-Type"] == "text/plain; charset=utf-8" && a.status == .ok
    )
    #expect(b.status == .created && b.headers.count == 1)
    #expect(bytes(a) == Array("hello".utf8) && bytes(b) == bytes(a) && bytes(d) == bytes(a))
    #expect(bytes(c) == Array("other".utf8))
    for response in [a, b, c, d] {
      if case .shared = response.body { Issue.record("a changed answer still shows the prepared one") }
    }
    #expect(prepared.headers.count == 1 && prepared.status == .ok)
  }

  @Test("fields are changed in place, one by one")
  func fields() {
    var response = Response.text("a")
    response.headers.add("A", "1")
    response.headers["B"] = "2"
    response.headers.remove("a")
    #expect(response.headers == ["Content-Type": "text/plain; charset=utf-8", "B": "2"])
    #expect(bytes(response) == [0x61] && response.status == .ok)
  }

  @Test("a throw in the middle of a change of fields loses nothing")
  func throwingChange() {
    var response = Response.text("a")
    #expect(throws: HeaderError.self) { try response.headers.add(name: "A", value: "\n") }
    #expect(response.headers.count == 1 && bytes(response) == [0x61])
  }
}
