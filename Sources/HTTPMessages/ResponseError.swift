/// An error that knows its answer: a handler throws it, and the server answers with its status and a problem document.
/// Any other error becomes a 500 whose cause goes to the log only.
public protocol ResponseError: Error {
  /// The status of the answer.
  var status: Status { get }
  /// A short text for this kind of problem; nil: the status' reason phrase. The client sees it.
  var title: String? { get }
  /// What is wrong with this request, in words that help its sender; nil: nothing to add. The client sees it.
  var detail: String? { get }
  /// Fields to add to the answer, such as `Retry-After`.
  var headers: HeaderFields { get }
}

extension ResponseError {
  /// None: the status' reason phrase.
  public var title: String? { nil }
  /// None.
  public var detail: String? { nil }
  /// None.
  public var headers: HeaderFields { [:] }
}

/// The plain error answer: `throw HTTPError(.notFound, "no user has the number 7")`.
public struct HTTPError: ResponseError, CustomStringConvertible {
  /// The status of the answer.
  public var status: Status
  /// A short text for this kind of problem; nil: the status' reason phrase.
  public var title: String?
  /// What is wrong with this request; the client sees it.
  public var detail: String?
  /// Fields to add to the answer.
  public var headers: HeaderFields

  /// An error of this status; the detail is for the client.
  public init(_ status: Status, _ detail: String? = nil, title: String? = nil, headers: HeaderFields = [:]) {
    self.status = status
    self.detail = detail
    self.title = title
    self.headers = headers
  }

  /// One line for a log.
  public var description: String { detail.map { "\(status): \($0)" } ?? status.description }
}

/// Thrown by `checkCancelled()`: the answer is not wanted any more. Where the client is still there it gets a 503.
public struct CancelledError: ResponseError, Hashable {
  /// Service Unavailable.
  public var status: Status { .serviceUnavailable }
  /// Says that the request was cancelled.
  public var detail: String? { "the request was cancelled" }

  /// The error.
  public init() {}
}
