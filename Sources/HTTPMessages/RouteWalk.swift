/// One search through the tree, depth first: literal before parameter before wildcard, and back where that leads nowhere.
///
/// A node is met at one depth only, so no path makes it look at a node twice; and it goes no deeper than the longest
/// pattern. All of it is plain numbers and pointers, valid while the table and the storage are.
struct RouteWalk {
  let tree: RouteTree
  /// The slot of the request's method.
  let slot: Int
  let path: UnsafeRawBufferPointer
  /// Where the path lies in the head of the storage.
  let start: Int
  let encoded: Bool
  let parameters: UnsafeMutablePointer<ByteRange>
  var parameterCount = 0
  var wildcard: ByteRange?
  /// Whether a pattern fits the path, but serves other methods only; and the slots that those serve, all together.
  var isRefused = false
  var served: UInt64 = 0

  /// The route for what follows an offset of the path, the first byte behind a slash; -1: none.
  mutating func descend(from node: Int32, at offset: Int) -> Int32 {
    let end = path.firstOffset(of: ASCII.slash, from: offset) ?? path.count
    let segment = path.part(offset, end)

    let below = tree.nodes[Int(node)]
    let child = literalChild(of: below, segment)
    if child >= 0 {
      let route = enter(child, end)
      if route >= 0 { return route }
    }
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
    let endpoint = tree.nodes[Int(node)].endpoint
    return endpoint >= 0 ? route(of: Int(endpoint)) : -1
  }

  private func literalChild(of node: RouteTree.Node, _ segment: UnsafeRawBufferPointer) -> Int32 {
    guard encoded, segment.firstOffset(of: ASCII.percent) != nil else { return tree.child(of: node, segment) }
    var decoded: [UInt8] = []
    PercentCoding.decode(segment, to: &decoded)
    return decoded.withUnsafeBytes { tree.child(of: node, $0) }
  }

  /// The endpoint's route for the method; -1, and noted for `Allow`, where it has none.
  @inline(__always)
  private mutating func route(of endpoint: Int) -> Int32 {
    let route = tree.slots[endpoint * tree.slotCount + slot]
    if route < 0 {
      isRefused = true
      served |= tree.served[endpoint]
    }
    return route
  }
}
