/// The finished tree of segments: flat arrays of plain numbers, so that a search touches no reference count. Node 0 is the
/// root. The memory belongs to a `RouteTrie`.
struct RouteTree {
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
  let slotCount: Int
  /// Set of the slots served, by endpoint.
  let served: UnsafeBufferPointer<UInt64>

  /// The literal child of a node for a decoded segment, or -1.
  @inline(__always)
  func child(of node: Node, _ segment: UnsafeRawBufferPointer) -> Int32 {
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
