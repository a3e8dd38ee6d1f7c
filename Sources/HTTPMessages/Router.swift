/// The routes of a server, being put together; `freeze()` makes the table that requests are matched against.
///
/// **Patterns.** `/users/:id` names a segment, `/files/*` (or `/files/*path`, where the name only documents) takes the
/// rest, also an empty one: it matches `/files/` and `/files/a/b`, but not `/files`. Segments are compared
/// percent-decoded, `%2F` being part of its segment. A slash at the end counts: `/a` and `/a/` are two paths.
///
/// **Precedence.** Segment by segment from the left, a literal goes before a parameter, and a parameter before a wildcard.
/// Where the better segment leads to no route for the method, the next is tried. A route for the method itself goes before
/// one for `any` of the same pattern.
///
/// **Methods.** HEAD goes to the GET route unless it has its own. OPTIONS is answered with `Allow` unless it has its own.
/// TRACE and CONNECT are never served.
///
/// **Middleware** stands around the handlers of routes only, not around 404, 405 and automatic OPTIONS: those are the
/// server's answers, and no handler's. `use` holds for *every* route of its router or group, whether registered before or
/// after: a forgotten order must not leave a route unguarded. The outer group's goes first, and within one group the first
/// one used.
///
/// A value type for one thread at a time; copies are independent.
public struct Router: Sendable {
  struct Route: Sendable {
    let methods: [Method]
    let pattern: RoutePattern
    let options: RouteOptions
    let scope: Int
    let handler: Handler
  }

  struct Scope: Sendable {
    let parent: Int?
    var middleware: [Middleware] = []
  }

  private(set) var routes: [Route] = []
  private(set) var scopes = [Scope(parent: nil)]
  private var scope = 0
  private var prefix = ""
  /// Each shape of pattern with each method that it has a route for; nil stands for `any`.
  private var taken: Set<Taken> = []

  private struct Taken: Hashable {
    let segments: [RoutePattern.Segment]
    let method: Method?
  }

  /// A router without routes.
  public init() {}

  /// Adds a route for some methods. For patterns that a program computes; `on`, `get` … are for literals.
  ///
  /// - Parameters:
  ///   - methods: The methods; nil: every method but TRACE and CONNECT.
  ///   - pattern: The pattern, behind the prefix of the group. Within a group it may be empty.
  ///   - options: How the route is served.
  ///   - handler: What answers.
  /// - Throws: `RouterError`, and then nothing is added.
  public mutating func add(
    _ methods: [Method]?, _ pattern: String, options: RouteOptions = RouteOptions(),
    handler: @escaping Handler
  ) throws(RouterError) {
    let parsed = try RoutePattern(prefix + pattern)
    if let methods, methods.isEmpty || methods.contains(.trace) || methods.contains(.connect) {
      throw RouterError(code: .methodNotServed, pattern: parsed.text)
    }
    if options.maxConcurrent ?? 1 < 1 || options.maxWaiting ?? 0 < 0
      || options.maxBodyBytes ?? 0 < 0 || options.timeout ?? .zero < .zero
    {
      throw RouterError(code: .badOptions, pattern: parsed.text)
    }
    let keys = (methods.map { $0.map(Optional.some) } ?? [nil]).map {
      Taken(segments: parsed.segments, method: $0)
    }
    if Set(keys).count < keys.count || !taken.isDisjoint(with: keys) {
      throw RouterError(code: .duplicate, pattern: parsed.text)
    }
    let extensions = RouteMethods(routes.flatMap(\.methods) + (methods ?? [])).extensions
    if extensions.count > RouteMethods.extensionLimit { throw RouterError(code: .tooManyMethods, pattern: parsed.text) }
    taken.formUnion(keys)
    routes.append(
      Route(methods: methods ?? [], pattern: parsed, options: options, scope: scope, handler: handler))
  }

  /// Adds middleware around every route of this router, or within `group` around every route of the group.
  public mutating func use(_ middleware: @escaping Middleware) { scopes[scope].middleware.append(middleware) }

  /// Adds routes whose patterns begin with a prefix, with middleware of their own.
  ///
  /// ```swift
  /// router.group("/admin", middleware: [checkToken]) { admin in
  ///   admin.get("/users/:id") { request in … }   // GET /admin/users/:id
  /// }
  /// ```
  /// - Parameters:
  ///   - prefix: A pattern without wildcard; a slash at its end is dropped. `""` groups middleware only.
  ///   - middleware: Goes around the routes of this group, inside that of the outer ones.
  ///   - build: Adds the routes to the router that it is given.
  public mutating func group(
    _ prefix: String, middleware: [Middleware] = [], build: (inout Router) throws -> Void
  ) rethrows {
    let outer = (scope: scope, prefix: self.prefix)
    defer { (scope, self.prefix) = outer }
    scopes.append(Scope(parent: scope, middleware: middleware))
    scope = scopes.count - 1
    self.prefix += prefix.utf8.last == ASCII.slash ? String(prefix.dropLast()) : prefix
    try build(&self)
  }

  /// Adds routes that none of the router's middleware goes around: those of the server itself.
  package mutating func withoutMiddleware(_ build: (inout Router) throws -> Void) rethrows {
    let outer = scope
    defer { scope = outer }
    scopes.append(Scope(parent: nil))
    scope = scopes.count - 1
    try build(&self)
  }

  /// Adds a route unless there is one of the same shape for the method.
  package mutating func addIfFree(
    _ method: Method, _ pattern: String, options: RouteOptions = RouteOptions(), handler: @escaping Handler
  ) {
    do {
      try add([method], pattern, options: options, handler: handler)
    } catch {
      precondition(error.code == .duplicate, "\(error)")
    }
  }

  /// Makes the table. Later changes to the router do not reach it.
  public func freeze() -> RouteTable { RouteTable(self) }

  /// The handler of a route inside the middleware of its scopes, innermost first.
  func composed(_ route: Route) -> Handler {
    var handler = route.handler
    var scope: Int? = route.scope
    while let index = scope {
      for middleware in scopes[index].middleware.reversed() {
        let next = handler
        handler = { try middleware($0, next) }
      }
      scope = scopes[index].parent
    }
    return handler
  }
}
