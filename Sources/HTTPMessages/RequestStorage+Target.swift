extension RequestStorage {
  /// The request's method.
  package var method: Method {
    get { state.pointee.method }
    set { state.pointee.method = newValue }
  }

  /// Sets the method from raw bytes. False, and nothing changed, where they are not a token.
  @discardableResult
  package func setMethod(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let method = Method(bytes: bytes) else { return false }
    state.pointee.method = method
    return true
  }

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

  /// See `Method.code`. Cheaper than asking the method, which holds a `String`.
  package var methodCode: UInt8 { state.pointee.method.code }

  /// The form of the target; see `HeadSyntax.targetForm`.
  package var targetForm: HeadSyntax.TargetForm? {
    HeadSyntax.targetForm(targetBytes, methodCode: state.pointee.method.code)
  }

  /// The raw target as it was sent.
  package var targetBytes: UnsafeRawBufferPointer { state.pointee.head[state.pointee.target] }

  /// The raw path: up to, and not with, the `?`.
  package var pathBytes: UnsafeRawBufferPointer {
    if let path = state.pointee.serverPath, method == .options { return state.pointee.head[path] }
    return state.pointee.head[state.pointee.path]
  }

  /// The raw query behind the `?`: nil where there is no `?`.
  package var queryBytes: UnsafeRawBufferPointer? { state.pointee.query.map { state.pointee.head[$0] } }

  /// The index of the matched route in its table, or -1.
  package var routeIndex: Int { state.pointee.routeIndex }
}
