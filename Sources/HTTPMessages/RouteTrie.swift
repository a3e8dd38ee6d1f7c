/// The tree of segments while a table is made.
final class RouteTrieBuilder {
  var children: [[UInt8]: RouteTrieBuilder] = [:]
  var parameter: RouteTrieBuilder?
  var endpoint: Int?
  var wildcard: Int?
}

/// The finished tree: flat arrays of plain numbers, read without any reference count. Node 0 is the root.
///
/// Unchecked because of the pointers: written once in `init`, before anyone else can see the object.
final class RouteTrie: @unchecked Sendable {
  struct Node {
    /// Literal children lie together, sorted by length and then by bytes.
    var firstChild: Int32 = 0
    var childCount: Int32 = 0
    /// Node of the parameter child, or -1.
    var parameter: Int32 = -1
    /// Endpoint of a path that ends here, or -1.
    var endpoint: Int32 = -1
    /// Endpoint of a wildcard below this node, or -1.
    var wildcard: Int32 = -1
  }

  struct Child {
    let textStart: Int32
    let textCount: Int32
    let node: Int32
  }

  let nodes: UnsafeBufferPointer<Node>
  let children: UnsafeBufferPointer<Child>
  let text: UnsafeRawBufferPointer
  /// Route index by endpoint and slot; -1: none.
  let slots: UnsafeBufferPointer<Int32>

  init(_ root: RouteTrieBuilder, slots: [Int32]) {
    var nodes: [Node] = []
    var children: [Child] = []
    var text: [UInt8] = []

    func place(_ builder: RouteTrieBuilder) -> Int32 {
      let index = nodes.count
      nodes.append(Node())
      let sorted = builder.children.sorted { a, b in
        a.key.count != b.key.count ? a.key.count < b.key.count : a.key.lexicographicallyPrecedes(b.key)
      }
      // The children's own children are placed first, so that this node's lie together.
      let placed = sorted.map { (literal: $0.key, node: place($0.value)) }
      nodes[index].firstChild = Int32(children.count)
      nodes[index].childCount = Int32(placed.count)
      for child in placed {
        children.append(
          Child(textStart: Int32(text.count), textCount: Int32(child.literal.count), node: child.node))
        text += child.literal
      }
      if let parameter = builder.parameter { nodes[index].parameter = place(parameter) }
      nodes[index].endpoint = Int32(builder.endpoint ?? -1)
      nodes[index].wildcard = Int32(builder.wildcard ?? -1)
      return Int32(index)
    }

    _ = place(root)
    self.nodes = RouteTrie.copy(nodes)
    self.children = RouteTrie.copy(children)
    self.text = UnsafeRawBufferPointer(RouteTrie.copy(text))
    self.slots = RouteTrie.copy(slots)
  }

  deinit {
    nodes.deallocate()
    children.deallocate()
    text.deallocate()
    slots.deallocate()
  }

  private static func copy<Element: BitwiseCopyable>(_ array: [Element]) -> UnsafeBufferPointer<Element> {
    let buffer = UnsafeMutableBufferPointer<Element>.allocate(capacity: array.count)
    _ = buffer.initialize(from: array)
    return UnsafeBufferPointer(buffer)
  }

  /// The literal child of a node for a decoded segment, or -1.
  @inline(__always)
  func child(of node: Int32, _ segment: UnsafeRawBufferPointer) -> Int32 {
    let node = nodes[Int(node)]
    var low = Int(node.firstChild)
    var high = low + Int(node.childCount)
    while low < high {
      let middle = (low + high) / 2
      let child = children[middle]
      let order = compare(child, segment)
      if order == 0 { return child.node }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return -1
  }

  @inline(__always)
  private func compare(_ child: Child, _ segment: UnsafeRawBufferPointer) -> Int {
    let length = Int(child.textCount)
    if length != segment.count { return length - segment.count }
    return text.part(Int(child.textStart), Int(child.textStart) + length).order(to: segment)
  }
}
