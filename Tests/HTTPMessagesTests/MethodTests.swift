import HTTPMessages
import Testing

@Suite("HTTPMessages: method")
struct MethodTests {
  @Test(
    "known methods are found by name",
    arguments: [
      ("GET", Method.get), ("HEAD", .head), ("POST", .post), ("PUT", .put), ("PATCH", .patch),
      ("DELETE", .delete),
      ("OPTIONS", .options), ("TRACE", .trace), ("CONNECT", .connect),
    ])
  func known(name: String, method: Method) {
    #expect(Method(name) == method)
    #expect(method.description == name)
    #expect(method.code < Method.otherCode)
  }

  @Test("case matters, and other tokens are methods of their own")
  func other() {
    #expect(Method("get") != .get)
    #expect(Method("get")?.description == "get")
    #expect(Method("PROPFIND") == Method("PROPFIND"))
    #expect(Method("PROPFIND") != Method("REPORT"))
    #expect(Method("PROPFIND")?.code == Method.otherCode)
    #expect(Set([Method.get, Method("GET"), Method("MKCOL")]).count == 2)
  }

  @Test(
    "what is no token is no method", arguments: ["", "GE T", "GET\r\n", "G\u{0}T", "GÉT", "GET/", "\"GET\""])
  func noToken(name: String) {
    #expect(Method(name) == nil)
  }
}
