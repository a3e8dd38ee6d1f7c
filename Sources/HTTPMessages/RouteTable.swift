/// The routes of a server, ready to be matched: made by `Router.freeze()`. Immutable, so it may be used from any thread.
public final class RouteTable: Sendable {
  /// The routes in the order of registration.
  package let routes: [RouteEntry]
  let methods: RouteMethods
  let trie: RouteTrie
  /// A short cut for the paths of literals.
  let literals: RouteLiterals
  /// `Allow` for each set of methods that some pattern serves.
  let allows: [UInt64: String]
  /// `Allow` for `OPTIONS *`: every method of any route.
  let allowAnywhere: String

  init(_ router: Router) {
    let methods = RouteMethods(router.routes.flatMap(\.methods))
    let root = RouteTrieBuilder()
    var endpoints: [RouteEndpoint] = []
    var entries: [RouteEntry] = []
    var plain: [[UInt8]: Int] = [:]

    func endpoint(_ existing: inout Int?) -> Int {
      if let existing { return existing }
      endpoints.append(RouteEndpoint(slotCount: methods.slotCount))
      existing = endpoints.count - 1
      return endpoints.count - 1
    }

    for (index, route) in router.routes.enumerated() {
      var node = root
      var ending: Int?
      for segment in route.pattern.segments {
        switch segment {
        case .literal(let bytes):
          let next = node.children[bytes] ?? RouteTrieBuilder()
          node.children[bytes] = next
          node = next
        case .parameter:
          let next = node.parameter ?? RouteTrieBuilder()
          node.parameter = next
          node = next
        case .wildcard:
          ending = endpoint(&node.wildcard)
        }
      }
      let place = ending ?? endpoint(&node.endpoint)
      endpoints[place].add(route.methods, route: Int32(index), among: methods)
      if let path = route.pattern.plainPath { plain[path] = place }
      entries.append(RouteEntry(index: index, route: route, handler: router.composed(route)))
    }
    for index in endpoints.indices { endpoints[index].finish() }

    self.routes = entries
    self.methods = methods
    self.trie = RouteTrie(root, endpoints: endpoints, slotCount: methods.slotCount)
    self.literals = RouteLiterals(plain.map { (path: $0.key, routes: endpoints[$0.value].slots) })
    self.allows = Dictionary(
      endpoints.map { ($0.served, methods.allow($0.served)) }, uniquingKeysWith: { first, _ in first })
    self.allowAnywhere = methods.allow(endpoints.reduce(0) { $0 | $1.served })
  }
}
