import HTTPMessages
import Testing

@Suite("HTTPMessages: head syntax")
struct HeadSyntaxTests {
  @Test("tokens: exactly the bytes of RFC 9110", arguments: 0...255)
  func token(byte: Int) {
    let allowed = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    let byte = UInt8(byte)
    #expect([0x61, byte].withUnsafeBytes(HeadSyntax.isToken) == allowed.contains(byte))
    #expect([byte].withUnsafeBytes(HeadSyntax.isFieldValue) == (byte == 9 || (byte >= 0x20 && byte != 0x7F)))
  }

  @Test(
    "Content-Length",
    arguments: [
      ("0", 0), ("42", 42), ("0042", 42), ("9223372036854775807", Int.max), ("9223372036854775808", nil),
      ("99999999999999999999", nil), ("", nil), ("+1", nil), ("-1", nil), (" 1", nil), ("1 ", nil),
      ("1,1", nil),
      ("0x10", nil), ("1e3", nil), ("١", nil),
    ] as [(String, Int?)])
  func contentLength(value: String, length: Int?) {
    #expect(withRaw(value) { HeadSyntax.contentLength($0) } == length)
  }

  @Test(
    "Host",
    arguments: [
      ("example.com", true), ("example.com:8080", true), ("127.0.0.1:80", true), ("[::1]", true),
      ("[::1]:80", true),
      ("[v1.fe80::a]", true), ("a_b", true), ("ex%41mple", true), ("localhost:", true),
      ("a!$&'()*+,;=~b", true),
      ("", false), (":80", false), ("a b", false), ("user@host", false), ("localhost:80x", false),
      ("a:65536", false),
      ("[::1", false), ("[]", false), ("[1.2.3.4]", false), ("[::1]80", false), ("[::g]", false),
      ("a/b", false),
      ("a?b", false), ("a#b", false), ("ex%4mple", false), ("a,b", true), ("höst", false), ("a\u{0}b", false),
      ("a\\b", false), ("a:1:2", false), ("\"a\"", false),
    ])
  func host(value: String, valid: Bool) {
    #expect(withRaw(value) { HeadSyntax.isHost($0) } == valid)
  }

  @Test(
    "target forms",
    arguments: [
      ("GET", "/", .origin), ("GET", "/a?b", .origin), ("GET", "//a", .origin), ("GET", "/%zz", .origin),
      ("OPTIONS", "*", .asterisk), ("GET", "*", nil), ("OPTIONS", "*a", nil), ("GET", "http://h", .absolute),
      ("GET", "HTTP://h:80/p?q", .absolute), ("GET", "http://u@h/", nil), ("GET", "http:///p", nil),
      ("GET", "http:/p", nil), ("GET", "://h", nil), ("GET", "h:80", nil), ("CONNECT", "h:443", .authority),
      ("CONNECT", "[::1]:443", .authority), ("CONNECT", "h", nil), ("CONNECT", "h:", nil),
      ("CONNECT", "/", nil),
      ("GET", "", nil), ("GET", "a", nil), ("GET", "?a", nil), ("GET", "/a b", nil), ("GET", "/a#b", nil),
      ("GET", "/a\rb", nil), ("GET", "/a\u{0}", nil), ("GET", "/ä", nil), ("GET", "/\u{7F}", nil),
      ("GET", "/a\tb", nil),
    ] as [(String, String, HeadSyntax.TargetForm?)])
  func target(method: String, target: String, form: HeadSyntax.TargetForm?) throws {
    let method = try #require(Method(method))
    #expect(withRaw(target) { HeadSyntax.targetForm($0, method: method) } == form)
  }

  @Test("codings, expectations and lists")
  func lists() {
    #expect(withRaw("Chunked") { HeadSyntax.isChunked($0) })
    #expect(!withRaw("chunked, chunked") { HeadSyntax.isChunked($0) })
    #expect(!withRaw("xchunked") { HeadSyntax.isChunked($0) })
    #expect(withRaw("100-Continue") { HeadSyntax.isExpectContinue($0) })
    #expect(!withRaw("100-continue2") { HeadSyntax.isExpectContinue($0) })
    #expect(withRaw("Keep-Alive,\t Close ") { HeadSyntax.list($0, contains: "close") })
    #expect(withRaw("close") { HeadSyntax.list($0, contains: "close") })
    #expect(!withRaw("closed, x-close") { HeadSyntax.list($0, contains: "close") })
    #expect(!withRaw("") { HeadSyntax.list($0, contains: "close") })
  }
}
