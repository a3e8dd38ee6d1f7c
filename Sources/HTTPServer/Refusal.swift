import HTTPMessages

/// An answer that is given without asking a handler.
struct Refusal: Error, Sendable {
  /// The status of the answer.
  var status: Status
  /// What is wrong and what is allowed, for people.
  var detail: String
  /// `Allow`, where the answer names methods.
  var allow: String?
  /// Whether the connection is closed after it.
  var closes: Bool
  /// `Retry-After`, in seconds.
  var retryAfter: Int?

  init(_ status: Status, _ detail: String, allow: String? = nil, closes: Bool = false, retryAfter: Int? = nil) {
    self.status = status
    self.detail = detail
    self.allow = allow
    self.closes = closes
    self.retryAfter = retryAfter
  }

  /// 503 at the end of a drain that took too long.
  static let stopping = Refusal(.serviceUnavailable, "the server is stopping", closes: true)

  /// 503 for what the queue cannot take.
  static let queueFull = Refusal(
    .serviceUnavailable, "the queue of waiting requests is full; try again", retryAfter: 1)

  /// 503 for what a route's own limits do not let in.
  static let bulkheadFull = Refusal(
    .serviceUnavailable, "too many requests of this route wait already; try again", retryAfter: 1)

  /// 503 for what has waited while the server was overloaded.
  static let shed = Refusal(
    .serviceUnavailable, "the server is overloaded; try again", retryAfter: 1)

  /// 413, with the limit.
  static func bodyTooLarge(limit: Int) -> Refusal {
    Refusal(.contentTooLarge, "the body may have at most \(limit) bytes here")
  }

  /// The answer: a problem document, or nothing but the status and `Allow` for OPTIONS.
  func response(request: RequestStorage) -> Response {
    guard status.code >= 400 else { return Response(status: status) }
    var response = ProblemDetails(status: status, detail: detail, requestID: request.idText).response()
    if let retryAfter { response.headers["Retry-After"] = String(retryAfter) }
    return response
  }
}
