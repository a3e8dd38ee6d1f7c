import HTTPMessages
import HTTPServer
import Introspection

/// The routes that a server adds to those of its application.
enum SystemRoutes {
  /// Adds introspection and pages. What the application has at the same pattern stays.
  static func add(
    to router: inout Router, configuration: ServerConfiguration, introspection: Late<Introspection>
  ) throws {
    // Outside the application's middleware, which may block, and inline routes must not.
    try router.withoutMiddleware { router in
      if configuration.introspection { Introspection.addRoutes(to: &router) { try introspection.get() } }
      switch configuration.pages {
      case .none: break
      case .dashboard:
        if configuration.introspection { Dashboard.addRoutes(to: &router) }
      case .folder(let path):
        let folder = try StaticFolder(path)
        router.addIfFree(.get, "/") { try folder.respond(to: $0, path: "index.html") }
        router.addIfFree(.get, "/*") { try folder.respond(to: $0, path: $0.wildcard ?? "") }
      }
    }
  }
}
