/// One route of a table. Immutable, so it may be used from any thread.
package final class RouteEntry: Sendable {
  /// Its place in `RouteTable.routes`.
  package let index: Int
  /// The methods that it was registered for; empty: every method but TRACE and CONNECT.
  package let methods: [Method]
  /// The pattern with the prefixes of its groups: `/users/:id`.
  package let pattern: String
  /// The label in metrics and logs: the one of the options, else the pattern.
  package let label: String
  /// How it is served.
  package let options: RouteOptions
  /// The handler inside its middleware.
  package let handler: Handler
  /// Names of the path parameters, in order.
  let parameterNames: [String]

  init(index: Int, route: Router.Route, handler: @escaping Handler) {
    self.index = index
    self.methods = route.methods
    self.pattern = route.pattern.text
    self.label = route.options.label ?? route.pattern.text
    self.options = route.options
    self.handler = handler
    self.parameterNames = route.pattern.parameterNames
  }
}
