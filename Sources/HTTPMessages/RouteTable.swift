/// The routes of a server, ready to be matched: made by `Router.freeze()`. Immutable, so it may be used from any thread.
public final class RouteTable: Sendable {
  /// The routes in the order of registration.
  package let routes: [RouteEntry]
  let trie: RouteTrie
  let endpoints: [RouteEndpoint]
  /// `Allow` for `OPTIONS *`: every method of any route.
  let allowAnywhere: String

  init(_ router: Router) {
    let root = RouteTrieBuilder()
    var endpoints: [RouteEndpoint] = []
    var entries: [RouteEntry] = []

    func endpoint(_ existing: inout Int?) -> Int {
      if let existing { return existing }
      endpoints.append(RouteEndpoint())
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
      endpoints[ending ?? endpoint(&node.endpoint)].add(route.methods, route: Int32(index))
      entries.append(RouteEntry(index: index, route: route, handler: router.composed(route)))
    }
    for index in endpoints.indices { endpoints[index].finish() }

    self.routes = entries
    self.trie = RouteTrie(root, slots: endpoints.flatMap(\.slots))
    self.endpoints = endpoints
    self.allowAnywhere = RouteTable.allow(endpoints)
  }

  /// `Allow` for several endpoints together.
  static func allow(_ endpoints: [RouteEndpoint]) -> String {
    let options = UInt16(1) << UInt16(Method.options.code)
    return RouteEndpoint.allow(
      endpoints.reduce(options) { $0 | $1.served }, endpoints.flatMap { $0.others.map(\.method) })
  }
}
