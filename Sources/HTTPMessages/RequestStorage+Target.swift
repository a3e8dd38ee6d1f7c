extension RequestStorage {
  /// The request's method.
  package var method: Method {
    get { state.pointee.method }
    set { state.pointee.method = newValue }
  }

  /// See ``RequestHead/setMethod(_:)``.
  @discardableResult
  package func setMethod(_ bytes: UnsafeRawBufferPointer) -> Bool { head.setMethod(bytes) }

  /// See ``RequestHead/setTarget(_:)``.
  package func setTarget(_ bytes: UnsafeRawBufferPointer) { head.setTarget(bytes) }

  /// See `Method.code`.
  package var methodCode: UInt8 { head.methodCode }

  /// The form of the target; see `HeadSyntax.targetForm`.
  package var targetForm: HeadSyntax.TargetForm? { head.targetForm }

  /// The raw target as it was sent.
  package var targetBytes: UnsafeRawBufferPointer { head.targetBytes }

  /// The raw path: up to, and not with, the `?`.
  package var pathBytes: UnsafeRawBufferPointer { head.pathBytes }

  /// The raw query behind the `?`: nil where there is no `?`.
  package var queryBytes: UnsafeRawBufferPointer? { state.pointee.query.map { state.pointee.head[$0] } }

  /// The index of the matched route in its table, or -1.
  package var routeIndex: Int { state.pointee.routeIndex }
}
