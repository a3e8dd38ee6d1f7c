/// An answer that is made once and given again and again: `Response(shared: hello)` costs one retain, and the server keeps
/// its prepared form.
///
/// Immutable, so it may be used from any thread. Unchecked only because of `bodyBytes`, a plain pointer: the bytes are
/// written once in `init`, before anyone else can see the object, and freed in `deinit`.
public final class SharedResponse: @unchecked Sendable {
  /// The status.
  public let status: Status
  /// The fields, `Content-Type` among them.
  public let headers: HeaderFields
  /// The body, at the same address as long as the object lives.
  package let bodyBytes: UnsafeRawBufferPointer

  /// Takes over status, fields and a copy of the body of an answer.
  public init(_ response: Response) {
    status = response.status
    headers = response.headers
    bodyBytes = response.body.withBytes { source in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 16)
      copy.copyMemory(from: source)
      return UnsafeRawBufferPointer(copy)
    }
  }

  deinit { bodyBytes.deallocate() }
}
