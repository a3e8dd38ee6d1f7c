/// The statuses of RFC 9110, RFC 6585 and IANA's register by name.
extension Status {
  /// 100 Continue.
  @inlinable public static var `continue`: Status { Status(known: 100) }
  /// 101 Switching Protocols.
  @inlinable public static var switchingProtocols: Status { Status(known: 101) }
  /// 102 Processing.
  @inlinable public static var processing: Status { Status(known: 102) }
  /// 103 Early Hints.
  @inlinable public static var earlyHints: Status { Status(known: 103) }
  /// 200 OK.
  @inlinable public static var ok: Status { Status(known: 200) }
  /// 201 Created.
  @inlinable public static var created: Status { Status(known: 201) }
  /// 202 Accepted.
  @inlinable public static var accepted: Status { Status(known: 202) }
  /// 203 Non-Authoritative Information.
  @inlinable public static var nonAuthoritativeInformation: Status { Status(known: 203) }
  /// 204 No Content.
  @inlinable public static var noContent: Status { Status(known: 204) }
  /// 205 Reset Content.
  @inlinable public static var resetContent: Status { Status(known: 205) }
  /// 206 Partial Content.
  @inlinable public static var partialContent: Status { Status(known: 206) }
  /// 207 Multi-Status.
  @inlinable public static var multiStatus: Status { Status(known: 207) }
  /// 300 Multiple Choices.
  @inlinable public static var multipleChoices: Status { Status(known: 300) }
  /// 301 Moved Permanently.
  @inlinable public static var movedPermanently: Status { Status(known: 301) }
  /// 302 Found.
  @inlinable public static var found: Status { Status(known: 302) }
  /// 303 See Other.
  @inlinable public static var seeOther: Status { Status(known: 303) }
  /// 304 Not Modified.
  @inlinable public static var notModified: Status { Status(known: 304) }
  /// 307 Temporary Redirect.
  @inlinable public static var temporaryRedirect: Status { Status(known: 307) }
  /// 308 Permanent Redirect.
  @inlinable public static var permanentRedirect: Status { Status(known: 308) }
  /// 400 Bad Request.
  @inlinable public static var badRequest: Status { Status(known: 400) }
  /// 401 Unauthorized.
  @inlinable public static var unauthorized: Status { Status(known: 401) }
  /// 402 Payment Required.
  @inlinable public static var paymentRequired: Status { Status(known: 402) }
  /// 403 Forbidden.
  @inlinable public static var forbidden: Status { Status(known: 403) }
  /// 404 Not Found.
  @inlinable public static var notFound: Status { Status(known: 404) }
  /// 405 Method Not Allowed.
  @inlinable public static var methodNotAllowed: Status { Status(known: 405) }
  /// 406 Not Acceptable.
  @inlinable public static var notAcceptable: Status { Status(known: 406) }
  /// 407 Proxy Authentication Required.
  @inlinable public static var proxyAuthenticationRequired: Status { Status(known: 407) }
  /// 408 Request Timeout.
  @inlinable public static var requestTimeout: Status { Status(known: 408) }
  /// 409 Conflict.
  @inlinable public static var conflict: Status { Status(known: 409) }
  /// 410 Gone.
  @inlinable public static var gone: Status { Status(known: 410) }
  /// 411 Length Required.
  @inlinable public static var lengthRequired: Status { Status(known: 411) }
  /// 412 Precondition Failed.
  @inlinable public static var preconditionFailed: Status { Status(known: 412) }
  /// 413 Content Too Large.
  @inlinable public static var contentTooLarge: Status { Status(known: 413) }
  /// 414 URI Too Long.
  @inlinable public static var uriTooLong: Status { Status(known: 414) }
  /// 415 Unsupported Media Type.
  @inlinable public static var unsupportedMediaType: Status { Status(known: 415) }
  /// 416 Range Not Satisfiable.
  @inlinable public static var rangeNotSatisfiable: Status { Status(known: 416) }
  /// 417 Expectation Failed.
  @inlinable public static var expectationFailed: Status { Status(known: 417) }
  /// 421 Misdirected Request.
  @inlinable public static var misdirectedRequest: Status { Status(known: 421) }
  /// 422 Unprocessable Content.
  @inlinable public static var unprocessableContent: Status { Status(known: 422) }
  /// 423 Locked.
  @inlinable public static var locked: Status { Status(known: 423) }
  /// 424 Failed Dependency.
  @inlinable public static var failedDependency: Status { Status(known: 424) }
  /// 425 Too Early.
  @inlinable public static var tooEarly: Status { Status(known: 425) }
  /// 426 Upgrade Required.
  @inlinable public static var upgradeRequired: Status { Status(known: 426) }
  /// 428 Precondition Required.
  @inlinable public static var preconditionRequired: Status { Status(known: 428) }
  /// 429 Too Many Requests.
  @inlinable public static var tooManyRequests: Status { Status(known: 429) }
  /// 431 Request Header Fields Too Large.
  @inlinable public static var requestHeaderFieldsTooLarge: Status { Status(known: 431) }
  /// 451 Unavailable For Legal Reasons.
  @inlinable public static var unavailableForLegalReasons: Status { Status(known: 451) }
  /// 500 Internal Server Error.
  @inlinable public static var internalServerError: Status { Status(known: 500) }
  /// 501 Not Implemented.
  @inlinable public static var notImplemented: Status { Status(known: 501) }
  /// 502 Bad Gateway.
  @inlinable public static var badGateway: Status { Status(known: 502) }
  /// 503 Service Unavailable.
  @inlinable public static var serviceUnavailable: Status { Status(known: 503) }
  /// 504 Gateway Timeout.
  @inlinable public static var gatewayTimeout: Status { Status(known: 504) }
  /// 505 HTTP Version Not Supported.
  @inlinable public static var httpVersionNotSupported: Status { Status(known: 505) }
  /// 506 Variant Also Negotiates.
  @inlinable public static var variantAlsoNegotiates: Status { Status(known: 506) }
  /// 507 Insufficient Storage.
  @inlinable public static var insufficientStorage: Status { Status(known: 507) }
  /// 508 Loop Detected.
  @inlinable public static var loopDetected: Status { Status(known: 508) }
  /// 511 Network Authentication Required.
  @inlinable public static var networkAuthenticationRequired: Status { Status(known: 511) }
}
