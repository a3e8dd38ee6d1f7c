import HTTPMessages
import Testing

@Suite("HTTPMessages: problem documents")
struct ProblemDetailsTests {
  private struct Teapot: ResponseError {
    let status = Status(code: 418) ?? .badRequest
  }

  private struct Other: Error {}

  private func json(_ problem: ProblemDetails) -> String { String(decoding: problem.json(), as: UTF8.self) }

  @Test("the text, member by member")
  func text() {
    #expect(
      json(ProblemDetails(status: .notFound)) == #"{"type":"about:blank","title":"Not Found","status":404}"#)
    var full = ProblemDetails(
      status: .badRequest, title: "Bad “ms”", detail: "say \"1\"", instance: "/x", requestID: "00ff")
    full.type = "https://example.com/ms"
    #expect(
      json(full)
        == #"{"type":"https://example.com/ms","title":"Bad “ms”","status":400,"detail":"say \"1\"","instance":"/x","requestId":"00ff"}"#
    )
  }

  @Test(
    "JSON strings are escaped",
    arguments: [
      ("", #""""#), ("a\"b\\c/", #""a\"b\\c/""#), ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
      ("\u{0}\u{1F}\u{7F}", "\"\\u0000\\u001f\u{7F}\""), ("é😀\u{2028}", "\"é😀\u{2028}\""), ("\"", #""\"""#),
    ])
  func escaping(given: String, text: String) {
    var output: [UInt8] = [0x21]
    JSONText.append(given, to: &output)
    #expect(String(decoding: output, as: UTF8.self) == "!" + text)
  }

  @Test("errors become answers; of an unknown one the client learns nothing")
  func errors() {
    let known = Response.problem(
      HTTPError(.serviceUnavailable, "full", title: "Busy", headers: ["Retry-After": "1"]), requestID: "01")
    #expect(known.status == .serviceUnavailable)
    #expect(known.headers == ["Content-Type": "application/problem+json", "Retry-After": "1"])
    #expect(
      known.body.withBytes { String(decoding: $0, as: UTF8.self) }
        == #"{"type":"about:blank","title":"Busy","status":503,"detail":"full","requestId":"01"}"#)

    #expect(json(ProblemDetails(Teapot())) == #"{"type":"about:blank","title":"Client Error","status":418}"#)
    #expect(
      json(ProblemDetails(Other())) == #"{"type":"about:blank","title":"Internal Server Error","status":500}"#
    )
    #expect(ProblemDetails(CancelledError()).status == .serviceUnavailable)
    #expect(Response.problem(.conflict, "twice").status == .conflict)
    #expect(HTTPError(.notFound, "no user 7").description == "404 Not Found: no user 7")
  }
}
