extension RouteTable {
  /// Finds the route for a method and a raw path, and writes into the storage which it is and where its parameters lie.
  ///
  /// The path is decoded segment by segment, and only where it has a `%`; dot segments are removed before; `%00` is found
  /// nowhere. Nothing is allocated for a path without escapes and dot segments whose route serves the method. The path
  /// may lie in the storage (`pathBytes`) or elsewhere; pointers into the storage's head are invalid afterwards.
  package func match(
    method: Method, path: UnsafeRawBufferPointer, into storage: RequestStorage
  ) -> RouteMatch {
    match(slot: methods.slot(of: method), method: method, path: path, storage.state)
  }

  /// The same for the method and the path that a head has. For one that is served by a path of literals, as most are, this is a look
  /// into a table.
  package func match(_ head: RequestHead) -> RouteMatch {
    let state = head.state
    let code = state.pointee.method.code
    let slot = code < Method.otherCode ? Int(code) : methods.slot(of: state.pointee.method)
    let path = head.pathBytes
    let route = literals.route(of: path, slot: slot)
    if route >= 0 {
      state.pointee.clearRoute()
      state.pointee.routeIndex = Int(route)
      return .found(index: Int(route))
    }
    return match(slot: slot, method: state.pointee.method, path: path, state)
  }

  private func match(
    slot: Int, method: Method, path: UnsafeRawBufferPointer, _ state: UnsafeMutablePointer<RequestState>
  ) -> RouteMatch {
    state.pointee.clearRoute()
    guard path.first == ASCII.slash else { return matchWithoutPath(method, path) }
    guard let (range, encoded) = prepare(path, state) else { return .notFound }

    var walk = RouteWalk(
      tree: trie.tree, slot: slot, path: state.pointee.head[range], start: range.start,
      encoded: encoded, parameters: state.pointee.parameters)
    let route = walk.descend(from: 0, at: 1)
    guard route >= 0 else { return unmatched(walk, method) }
    let entry = routes[Int(route)]
    state.pointee.routeIndex = entry.index
    state.pointee.parameterCount = walk.parameterCount
    state.pointee.wildcard = walk.wildcard
    if !entry.parameterNames.isEmpty { state.pointee.parameterNames = entry.parameterNames }
    return .found(index: entry.index)
  }

  /// Where the path lies in the storage once it has no dot segments, and whether it has escapes; nil where it holds NUL.
  @inline(__always)
  private func prepare(
    _ path: UnsafeRawBufferPointer, _ state: UnsafeMutablePointer<RequestState>
  ) -> (range: ByteRange, encoded: Bool)? {
    var (dotted, encoded, null) = (false, false, false)
    var previous: UInt8 = 0
    for byte in path {
      dotted = dotted || (byte == ASCII.dot && previous == ASCII.slash)
      encoded = encoded || byte == ASCII.percent
      null = null || byte == 0
      previous = byte
    }
    if null || (encoded && RouteTable.hasEncodedNull(path)) { return nil }
    if dotted || encoded, DotSegments.present(in: path, encoded: true) {
      let clean = DotSegments.removed(from: path, encoded: true)
      return (clean.withUnsafeBytes { state.pointee.head.append($0) }, encoded)
    }
    return (state.pointee.head.range(of: path) ?? state.pointee.head.append(path), encoded)
  }

  private static func hasEncodedNull(_ path: UnsafeRawBufferPointer) -> Bool {
    var from = 0
    while let index = path.firstOffset(of: ASCII.percent, from: from) {
      if PercentCoding.escape(path, at: index) == 0 { return true }
      from = index + 1
    }
    return false
  }

  private func matchWithoutPath(_ method: Method, _ path: UnsafeRawBufferPointer) -> RouteMatch {
    let wholeServer = path.count == 1 && path.first == ASCII.star && method == .options
    return wholeServer ? .options(allow: allowAnywhere) : .notFound
  }

  private func unmatched(_ walk: RouteWalk, _ method: Method) -> RouteMatch {
    guard walk.isRefused else { return .notFound }
    let allow = allows[walk.served] ?? methods.allow(walk.served)
    return method == .options ? .options(allow: allow) : .methodNotAllowed(allow: allow)
  }
}
