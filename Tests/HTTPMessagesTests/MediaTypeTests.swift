import HTTPMessages
import Testing

@Suite("HTTPMessages: media type")
struct MediaTypeTests {
  @Test(
    "type, subtype and parameter names lose their case, values keep it",
    arguments: [
      ("text/html", "text/html"), ("Text/HTML; Charset=UTF-8", "text/html; charset=UTF-8"),
      ("text/html;charset=\"utf-8\"", "text/html;charset=\"utf-8\""), (" a/b ", "a/b"), ("a/b; ;", "a/b"),
      ("a/b ; C=D;;E=\"F;G\"", "a/b ; c=D;;e=\"F;G\""),
    ])
  func normal(given: String, text: String) {
    #expect(MediaType(given)?.text == text)
  }

  @Test(
    "malformed texts are refused",
    arguments: [
      "", "text", "text/", "/html", "text/html/x", "text /html", "a/b; c", "a/b; c=", "a/b; c=\"d", "a/b c=d",
      "a/b\r\n", "a/b; c=\"\r\"",
    ])
  func malformed(given: String) {
    #expect(MediaType(given) == nil)
  }

  @Test("parameters and essence")
  func parameters() {
    let type = MediaType("multipart/form-data ; Boundary=\"a\\\"b;c\"; charset=Utf-8; charset=second")
    #expect(type?.essence == "multipart/form-data")
    #expect(type?.parameter("boundary") == "a\"b;c")
    #expect(type?.parameter("CHARSET") == "Utf-8")
    #expect(type?.parameter("bound") == nil)
    #expect(MediaType.json.parameter("charset") == nil)
  }

  @Test(
    "by file name ending",
    arguments: [
      ("html", "text/html; charset=utf-8"), ("HTM", "text/html; charset=utf-8"), ("svg", "image/svg+xml"),
      ("mjs", "text/javascript; charset=utf-8"), ("Png", "image/png"), ("woff2", "font/woff2"),
      ("", "application/octet-stream"), ("exe", "application/octet-stream"),
    ])
  func files(ending: String, text: String) {
    #expect(MediaType.forFile(extension: ending).text == text)
  }

  @Test(
    "every named type is well formed",
    arguments: [
      MediaType.plainText, .plainTextUTF8, .json, .problemJSON, .html, .css, .javascript, .svg, .octetStream,
      .eventStream,
      .form, .prometheus, .openMetrics,
    ])
  func named(type: MediaType) {
    #expect(MediaType(type.text) == type)
  }
}
