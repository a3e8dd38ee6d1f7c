/// What a table says of a method and a path.
package enum RouteMatch: Sendable, Equatable {
  /// The route at this index of `RouteTable.routes`.
  case found(index: Int)
  /// The path is served, but not for this method: 405 with this `Allow`.
  case methodNotAllowed(allow: String)
  /// OPTIONS for which no route was registered: 204 with this `Allow`.
  case options(allow: String)
  /// 404.
  case notFound
}
