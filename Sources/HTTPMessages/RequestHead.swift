/// The parts of a request that its owner fills and looks at for every request, without the object around them.
///
/// A ``RequestStorage`` by its address: handing it on counts no reference, so whoever holds it must keep the storage alive. One owner
/// at a time, as for the storage; the same rules for pointers that it gives out.
package struct RequestHead {
  let state: UnsafeMutablePointer<RequestState>

  /// Forgets everything but whether it was cancelled. Memory up to 32 KiB of head and 64 KiB of body is kept.
  package func reset() {
    state.pointee.reset(headBound: RequestStorage.headBound, bodyBound: RequestStorage.bodyBound)
  }

  /// The number from which the request's id is written.
  package var id: UInt64 {
    get { state.pointee.id }
    nonmutating set { state.pointee.id = newValue }
  }

  /// When the request's head was complete: nanoseconds of the monotonic clock.
  package var receivedAt: Int64 {
    get { state.pointee.receivedAt }
    nonmutating set { state.pointee.receivedAt = newValue }
  }

  /// Takes over the peer's `sockaddr`, whose text is made only when asked for.
  package func setPeer(_ address: UnsafeRawBufferPointer) {
    state.pointee.peer = state.pointee.head.append(address)
  }

  /// Makes room for a body of so many bytes in all, where the length is known before.
  package func reserveBody(_ count: Int) { state.pointee.body.reserve(count - state.pointee.body.count) }

  /// Appends bytes to the body.
  package func appendBody(_ bytes: UnsafeRawBufferPointer) { state.pointee.body.append(bytes) }

  /// Length of the body so far.
  package var bodyCount: Int { state.pointee.body.count }

  // MARK: request line

  /// Sets the method from raw bytes. False, and nothing changed, where they are not a token.
  @discardableResult
  package func setMethod(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if let code = Method.known(bytes) {
      state.pointee.setMethod(knownCode: code)
      return true
    }
    guard let method = Method(bytes: bytes) else { return false }
    state.pointee.method = method
    return true
  }

  /// See `Method.code`. Cheaper than asking the method, which holds a `String`.
  package var methodCode: UInt8 { state.pointee.method.code }

  /// Copies the raw target and finds its path and query; before or after the method is set. Nothing is checked here: see
  /// `HeadSyntax.targetForm`.
  ///
  /// Of an absolute-form target the path is what follows the authority, `/` where nothing does (RFC 9112 section 3.2.2);
  /// but OPTIONS with neither path nor query asks about the whole server, as `*` does (section 3.2.4).
  package func setTarget(_ bytes: UnsafeRawBufferPointer) {
    let target = state.pointee.head.append(bytes)
    state.pointee.target = target
    var pathStart = 0
    if bytes.first != ASCII.slash, let authority = HeadSyntax.authority(of: bytes) {
      pathStart = authority.upperBound
    }
    let question = bytes.firstOffset(of: ASCII.question, from: pathStart)
    let pathEnd = question ?? bytes.count
    state.pointee.query = question.map { ByteRange(target.start + $0 + 1, bytes.count - $0 - 1) }
    if pathStart > 0, pathEnd == pathStart {
      state.pointee.path = state.pointee.head.append(("/" as StaticString).bytes)
      if question == nil { state.pointee.serverPath = state.pointee.head.append(("*" as StaticString).bytes) }
    } else {
      state.pointee.path = ByteRange(target.start + pathStart, pathEnd - pathStart)
    }
  }

  /// The form of the target; see `HeadSyntax.targetForm`.
  package var targetForm: HeadSyntax.TargetForm? {
    HeadSyntax.targetForm(targetBytes, methodCode: state.pointee.method.code)
  }

  /// The raw target as it was sent.
  package var targetBytes: UnsafeRawBufferPointer { state.pointee.head[state.pointee.target] }

  /// The raw path: up to, and not with, the `?`.
  package var pathBytes: UnsafeRawBufferPointer {
    if let path = state.pointee.serverPath, methodCode == Method.options.code { return state.pointee.head[path] }
    return state.pointee.head[state.pointee.path]
  }

  // MARK: fields

  /// Copies one field. Nothing is checked here: see `HeadSyntax`.
  package func addField(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    state.pointee.appendField(name, value)
  }

  /// How many fields were added.
  package var fieldCount: Int { state.pointee.fieldCount }

  /// The field at an index below `fieldCount`, in the order of arrival.
  package func field(at index: Int) -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    precondition(index >= 0 && index < state.pointee.fieldCount, "no such field")
    let field = state.pointee.fields[index]
    return (state.pointee.head[field.name], state.pointee.head[field.value])
  }
}
