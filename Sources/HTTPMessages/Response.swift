/// The answer to a request.
///
/// `Date`, `Content-Length`, `Connection` and `X-Request-Id` are the server's business. A HEAD request is answered with
/// what GET would give, and the server leaves the body out.
///
/// A value type; may be used from any thread.
public struct Response: Sendable {
  // One or the other, so that copying a shared answer is one retain and nothing else.
  private enum Content {
    case own(Own)
    case shared(SharedResponse)
  }

  private struct Own {
    var status: Status
    var headers: HeaderFields
    var body: ResponseBody
  }

  private var content: Content

  /// An answer of these parts; by default 200 without fields and body.
  public init(status: Status = .ok, headers: HeaderFields = [:], body: ResponseBody = .empty) {
    content = .own(Own(status: status, headers: headers, body: body.unshared))
  }

  /// A prepared answer, given again at the cost of one retain.
  public init(shared: SharedResponse) { content = .shared(shared) }

  /// The prepared answer that this is, as long as nothing in it was changed; else nil.
  package var shared: SharedResponse? {
    if case .shared(let shared) = content { shared } else { nil }
  }

  /// Whether this is a prepared answer in which nothing was changed.
  package var isShared: Bool {
    if case .shared = content { true } else { false }
  }

  /// The prepared answer that this is, with the reference that the response had.
  package consuming func takeShared() -> Unmanaged<SharedResponse> {
    guard case .shared(let shared) = content else { preconditionFailure("the response is not a prepared one") }
    return Unmanaged.passRetained(shared)
  }

  /// The status. Changing anything in a shared answer makes it one of its own, with a copy of the body.
  public var status: Status {
    get {
      switch content {
      case .own(let own): own.status
      case .shared(let shared): shared.status
      }
    }
    set { change { $0.status = newValue } }
  }

  /// The fields, `Content-Type` among them.
  public var headers: HeaderFields {
    get {
      switch content {
      case .own(let own): own.headers
      case .shared(let shared): shared.headers
      }
    }
    _modify {
      // Moved out and back in, so that the fields are changed in place.
      var own = detached()
      content = .own(Own(status: own.status, headers: HeaderFields(), body: .empty))
      defer { content = .own(own) }
      yield &own.headers
    }
  }

  /// The body. It is `.shared` for a prepared answer in which nothing was changed, and only then: so whoever meets
  /// `.shared` may give the prepared answer with all its parts.
  public var body: ResponseBody {
    get {
      switch content {
      case .own(let own): own.body
      case .shared(let shared): .shared(shared)
      }
    }
    set { change { $0.body = newValue.unshared } }
  }

  private mutating func change(_ edit: (inout Own) -> Void) {
    var own = detached()
    edit(&own)
    content = .own(own)
  }

  private func detached() -> Own {
    switch content {
    case .own(let own): own
    case .shared(let shared):
      Own(
        status: shared.status, headers: shared.headers, body: ResponseBody.shared(shared).unshared)
    }
  }
}
