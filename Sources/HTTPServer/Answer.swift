import CMicroHTTPD
import HTTPMessages
import Interleavings

/// A response ready for the leader to queue: in libmicrohttpd's form, or a prebuilt one, whose form the lane has (``SharedAnswers``).
///
/// It owns one reference to either, given up by ``release()`` after queueing or dropping.
struct Answer {
  /// What is to be queued.
  enum Content {
    case built(OpaquePointer)
    case shared(Unmanaged<SharedResponse>)
  }

  let content: Content
  /// The status code.
  let status: Int

  init(content: Content, status: Int) {
    self.content = content
    self.status = status
    Interleaving.note(.answerMade)
  }

  /// Gives the reference up.
  func release() {
    Interleaving.note(.answerReleased)
    switch content {
    case .built(let response): MHD_destroy_response(response)
    case .shared(let source): source.release()
    }
  }
}

/// Makes libmicrohttpd's form of responses: on the worker, so that the leader only queues.
enum AnswerEncoder {
  /// What is added to a response for the sake of one request.
  struct Extras {
    /// Close the connection after the answer.
    var closes = false
    /// The request's identifier, where the client is to see it.
    var requestID: String?
    /// `Allow`, on 405.
    var allow: String?
  }

  /// A response in libmicrohttpd's form, or nil if there is no memory for it.
  static func encode(_ response: Response, extras: Extras) -> Answer? {
    build(response, extras: extras).map { Answer(content: .built($0), status: response.status.code) }
  }

  /// The same, without the status.
  static func build(_ response: Response, extras: Extras) -> OpaquePointer? {
    guard let answer = response.body.makeMHDResponse() else { return nil }
    for field in response.headers where !isOurs(field.name) {
      _ = MHD_add_response_header(answer, field.name, field.value)
    }
    if let id = extras.requestID { _ = MHD_add_response_header(answer, "X-Request-Id", id) }
    if let allow = extras.allow { _ = MHD_add_response_header(answer, "Allow", allow) }
    if extras.closes { _ = MHD_add_response_header(answer, "Connection", "close") }
    return answer
  }

  /// Fields that describe the message rather than the content: libmicrohttpd's to write, not an application's.
  private static func isOurs(_ name: String) -> Bool {
    switch name.utf8.count {
    case 10: name.lowercased() == "connection"
    case 14: name.lowercased() == "content-length"
    case 17: name.lowercased() == "transfer-encoding"
    default: false
    }
  }
}

extension ResponseBody {
  /// libmicrohttpd's object for this body, without header fields.
  fileprivate func makeMHDResponse() -> OpaquePointer? {
    withBytes { bytes in
      // libmicrohttpd takes a mutable pointer but only reads from it in this mode. It copies: Swift gives no pointer into
      // an array that outlives the call.
      MHD_create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }
  }
}
