import HTTPMessages
import Testing

@Suite("HTTPMessages: status")
struct StatusTests {
  @Test(
    "numbers outside 100...999 are refused",
    arguments: [(99, false), (100, true), (999, true), (1000, false), (-1, false)])
  func range(code: Int, allowed: Bool) {
    #expect((Status(code: code) != nil) == allowed)
  }

  @Test(
    "reason phrases",
    arguments: [
      (Status.ok, "200 OK"), (.noContent, "204 No Content"), (.notFound, "404 Not Found"),
      (.contentTooLarge, "413 Content Too Large"), (.unprocessableContent, "422 Unprocessable Content"),
      (.tooManyRequests, "429 Too Many Requests"),
      (.requestHeaderFieldsTooLarge, "431 Request Header Fields Too Large"),
      (.serviceUnavailable, "503 Service Unavailable"),
      (.networkAuthenticationRequired, "511 Network Authentication Required"),
    ])
  func reasons(status: Status, text: String) {
    #expect(status.description == text)
  }

  @Test(
    "an unknown number has the reason of its class",
    arguments: [(299, "Successful"), (499, "Client Error"), (799, "Unknown")])
  func unknown(code: Int, reason: String) {
    #expect(Status(code: code)?.reason == reason)
  }

  @Test(
    "which answers have no body",
    arguments: [(100, true), (200, false), (204, true), (205, false), (304, true), (404, false)])
  func body(code: Int, forbids: Bool) {
    #expect(Status(code: code)?.forbidsBody == forbids)
  }
}
