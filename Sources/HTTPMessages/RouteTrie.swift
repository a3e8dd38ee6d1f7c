/// The tree of segments while a table is made.
final class RouteTrieBuilder {
  var children: [[UInt8]: RouteTrieBuilder] = [:]
  var parameter: RouteTrieBuilder?
  var endpoint: Int?
  var wildcard: Int?
}

/// Owns the memory of a `RouteTree`.
///
/// Unchecked because of the tree's pointers: written once in `init`, before anyone else can see the object, and only read
/// until `deinit`.
final class RouteTrie: @unchecked Sendable {
  let tree: RouteTree

  init(_ root: RouteTrieBuilder, endpoints: [RouteEndpoint], slotCount: Int) {
    var nodes: [RouteTree.Node] = []
    var children: [RouteTree.Child] = []
    var text: [UInt8] = []

    func place(_ builder: RouteTrieBuilder) -> Int32 {
      let index = nodes.count
      nodes.append(RouteTree.Node())
      let sorted = builder.children.sorted { a, b in
        a.key.count != b.key.count ? a.key.count < b.key.count : a.key.lexicographicallyPrecedes(b.key)
      }
      // The children's own children are placed first, so that this node's lie together.
      let placed = sorted.map { (literal: $0.key, node: place($0.value)) }
      nodes[index].firstChild = Int32(children.count)
      nodes[index].childCount = Int32(placed.count)
      for child in placed {
        children.append(
          RouteTree.Child(textStart: Int32(text.count), textCount: Int32(child.literal.count), node: child.node))
        text += child.literal
      }
      if let parameter = builder.parameter { nodes[index].parameter = place(parameter) }
      nodes[index].endpoint = Int32(builder.endpoint ?? -1)
      nodes[index].wildcard = Int32(builder.wildcard ?? -1)
      return Int32(index)
    }

    _ = place(root)
    tree = RouteTree(
      nodes: RouteTrie.copy(nodes), children: RouteTrie.copy(children),
      text: UnsafeRawBufferPointer(RouteTrie.copy(text)), slots: RouteTrie.copy(endpoints.flatMap(\.slots)),
      slotCount: slotCount, served: RouteTrie.copy(endpoints.map(\.served)))
  }

  deinit {
    tree.nodes.deallocate()
    tree.children.deallocate()
    tree.text.deallocate()
    tree.slots.deallocate()
    tree.served.deallocate()
  }

  private static func copy<Element: BitwiseCopyable>(_ array: [Element]) -> UnsafeBufferPointer<Element> {
    let buffer = UnsafeMutableBufferPointer<Element>.allocate(capacity: array.count)
    _ = buffer.initialize(from: array)
    return UnsafeBufferPointer(buffer)
  }
}
