extension Response {
  /// Text as UTF-8; `text/plain; charset=utf-8` by default.
  public static func text(
    _ text: String, status: Status = .ok, type: MediaType = .plainTextUTF8
  ) -> Response {
    make(status, type, .text(text))
  }

  /// Bytes of a media type; `application/octet-stream` by default.
  public static func bytes(
    _ bytes: [UInt8], type: MediaType = .octetStream, status: Status = .ok
  ) -> Response {
    make(status, type, .bytes(bytes))
  }

  /// Text that is JSON already.
  public static func json(_ text: String, status: Status = .ok) -> Response {
    make(status, .json, .text(text))
  }

  /// Bytes that are JSON already.
  public static func json(bytes: [UInt8], status: Status = .ok) -> Response {
    make(status, .json, .bytes(bytes))
  }

  /// A page of HTML in UTF-8.
  public static func html(_ text: String, status: Status = .ok) -> Response {
    make(status, .html, .text(text))
  }

  /// No body; 204 by default.
  public static func empty(_ status: Status = .noContent) -> Response { Response(status: status) }

  /// Sends the client elsewhere; 303 by default: fetch the other with GET. Whatever may not stand in a URI is
  /// percent-encoded, so text from a client cannot break out of the field. *Where* it leads is not checked.
  public static func redirect(to location: String, status: Status = .seeOther) -> Response {
    var response = Response(status: status)
    response.headers.add(trusted: "Location", PercentCoding.uri(location))
    return response
  }

  /// A problem document (RFC 9457) with this status; the detail is for the client.
  public static func problem(
    _ status: Status, _ detail: String? = nil, title: String? = nil, instance: String? = nil,
    requestID: String? = nil, headers: HeaderFields = [:]
  ) -> Response {
    ProblemDetails(status: status, title: title, detail: detail, instance: instance, requestID: requestID)
      .response(headers: headers)
  }

  /// The problem document for a thrown error, with the fields that a `ResponseError` adds.
  public static func problem(_ error: any Error, requestID: String? = nil) -> Response {
    let headers = (error as? any ResponseError)?.headers ?? [:]
    return ProblemDetails(error, requestID: requestID).response(headers: headers)
  }

  private static func make(_ status: Status, _ type: MediaType, _ body: ResponseBody) -> Response {
    var headers = HeaderFields()
    headers.add(trusted: "Content-Type", type.text)
    return Response(status: status, headers: headers, body: body)
  }
}
