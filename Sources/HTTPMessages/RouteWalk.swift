/// One search through the tree, depth first: literal before parameter before wildcard, and back where that leads nowhere.
///
/// A node is met at one depth only, so no path makes it look at a node twice; and it goes no deeper than the longest
/// pattern.
struct RouteWalk {
  let trie: RouteTrie
  let endpoints: [RouteEndpoint]
  let method: Method
  let path: UnsafeRawBufferPointer
  /// Where the path lies in the head of the storage.
  let start: Int
  let encoded: Bool
  let parameters: UnsafeMutablePointer<ByteRange>
  var parameterCount = 0
  var wildcard: ByteRange?
  /// Endpoints that fit the path, but serve other methods.
  var refusing: [Int] = []

  /// The route for what follows an offset of the path, the first byte behind a slash; -1: none.
  mutating func descend(from node: Int32, at offset: Int) -> Int32 {
    let end = path.firstOffset(of: ASCII.slash, from: offset) ?? path.count
    let segment = path.part(offset, end)

    let child = literalChild(of: node, segment)
    if child >= 0 {
      let route = enter(child, end)
      if route >= 0 { return route }
    }
    let below = trie.nodes[Int(node)]
    if below.parameter >= 0, !segment.isEmpty {
      parameters[parameterCount] = ByteRange(start + offset, segment.count)
      parameterCount += 1
      let route = enter(below.parameter, end)
      if route >= 0 { return route }
      parameterCount -= 1
    }
    if below.wildcard >= 0 {
      let route = route(of: Int(below.wildcard))
      if route >= 0 {
        wildcard = ByteRange(start + offset, path.count - offset)
        return route
      }
    }
    return -1
  }

  private mutating func enter(_ node: Int32, _ end: Int) -> Int32 {
    if end < path.count { return descend(from: node, at: end + 1) }
    let endpoint = trie.nodes[Int(node)].endpoint
    return endpoint >= 0 ? route(of: Int(endpoint)) : -1
  }

  private func literalChild(of node: Int32, _ segment: UnsafeRawBufferPointer) -> Int32 {
    guard encoded, segment.firstOffset(of: ASCII.percent) != nil else { return trie.child(of: node, segment) }
    var decoded: [UInt8] = []
    PercentCoding.decode(segment, to: &decoded)
    return decoded.withUnsafeBytes { trie.child(of: node, $0) }
  }

  /// The endpoint's route for the method; -1, and noted for `Allow`, where it has none.
  private mutating func route(of endpoint: Int) -> Int32 {
    if method.code == Method.otherCode,
      let other = endpoints[endpoint].others.first(where: { $0.method == method })
    {
      return other.route
    }
    let route = trie.slots[endpoint * RouteEndpoint.slotCount + Int(method.code)]
    if route < 0 { refusing.append(endpoint) }
    return route
  }
}
