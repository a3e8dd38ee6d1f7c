/// What went wrong, as `application/problem+json` (RFC 9457). May be used from any thread.
public struct ProblemDetails: Hashable, Sendable {
  /// A URI that names the kind of problem; `about:blank`: no more than the status says.
  public var type = "about:blank"
  /// A short text for the kind; by default the status' reason phrase.
  public var title: String
  /// The status of the answer.
  public var status: Status
  /// What is wrong in this case.
  public var detail: String?
  /// A URI that names this case.
  public var instance: String?
  /// The id of the request, written as the member `requestId`.
  public var requestID: String?

  /// A problem of this status; `title` nil: the reason phrase.
  public init(
    status: Status, title: String? = nil, detail: String? = nil, instance: String? = nil,
    requestID: String? = nil
  ) {
    self.title = title ?? status.reason
    self.status = status
    self.detail = detail
    self.instance = instance
    self.requestID = requestID
  }

  /// The problem that an error describes. Of an error that is no `ResponseError` the client learns nothing but 500.
  public init(_ error: any Error, requestID: String? = nil) {
    if let known = error as? any ResponseError {
      self.init(status: known.status, title: known.title, detail: known.detail, requestID: requestID)
    } else {
      self.init(status: .internalServerError, requestID: requestID)
    }
  }

  /// The JSON text in UTF-8. Members that are nil are left out.
  public func json() -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(192)
    func member(_ name: String, _ value: String?) {
      guard let value else { return }
      output.append(output.isEmpty ? 0x7B : 0x2C)
      JSONText.append(name, to: &output)
      output.append(ASCII.colon)
      JSONText.append(value, to: &output)
    }
    member("type", type)
    member("title", title)
    output += ",\"status\":\(status.code)".utf8
    member("detail", detail)
    member("instance", instance)
    member("requestId", requestID)
    output.append(0x7D)
    return output
  }

  /// The answer with this problem as its body.
  public func response(headers: HeaderFields = [:]) -> Response {
    var response = Response.bytes(json(), type: .problemJSON, status: status)
    for field in headers { response.headers.add(trusted: field.name, field.value) }
    return response
  }
}
