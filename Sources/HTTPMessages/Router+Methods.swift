/// Routes by method. Patterns are meant as literals of the program here, so a bad one traps with a text that names it, and
/// says where it stands; `add` throws instead.
extension Router {
  /// Adds a route for one method. Traps on a bad or repeated pattern.
  public mutating func on(
    _ method: Method, _ pattern: String, options: RouteOptions = RouteOptions(), file: StaticString = #fileID,
    line: UInt = #line, handler: @escaping Handler
  ) {
    trapping([method], pattern, options, handler, file, line)
  }

  /// Adds a route for GET, and so for HEAD. Traps on a bad or repeated pattern.
  public mutating func get(
    _ pattern: String, options: RouteOptions = RouteOptions(), file: StaticString = #fileID,
    line: UInt = #line,
    handler: @escaping Handler
  ) {
    trapping([.get], pattern, options, handler, file, line)
  }

  /// Adds a route for POST. Traps on a bad or repeated pattern.
  public mutating func post(
    _ pattern: String, options: RouteOptions = RouteOptions(), file: StaticString = #fileID,
    line: UInt = #line,
    handler: @escaping Handler
  ) {
    trapping([.post], pattern, options, handler, file, line)
  }

  /// Adds a route for PUT. Traps on a bad or repeated pattern.
  public mutating func put(
    _ pattern: String, options: RouteOptions = RouteOptions(), file: StaticString = #fileID,
    line: UInt = #line,
    handler: @escaping Handler
  ) {
    trapping([.put], pattern, options, handler, file, line)
  }

  /// Adds a route for PATCH. Traps on a bad or repeated pattern.
  public mutating func patch(
    _ pattern: String, options: RouteOptions = RouteOptions(), file: StaticString = #fileID,
    line: UInt = #line,
    handler: @escaping Handler
  ) {
    trapping([.patch], pattern, options, handler, file, line)
  }

  /// Adds a route for DELETE. Traps on a bad or repeated pattern.
  public mutating func delete(
    _ pattern: String, options: RouteOptions = RouteOptions(), file: StaticString = #fileID,
    line: UInt = #line,
    handler: @escaping Handler
  ) {
    trapping([.delete], pattern, options, handler, file, line)
  }

  /// Adds a route for every method but TRACE and CONNECT. Traps on a bad or repeated pattern.
  public mutating func any(
    _ pattern: String, options: RouteOptions = RouteOptions(), file: StaticString = #fileID,
    line: UInt = #line,
    handler: @escaping Handler
  ) {
    trapping(nil, pattern, options, handler, file, line)
  }

  private mutating func trapping(
    _ methods: [Method]?, _ pattern: String, _ options: RouteOptions, _ handler: @escaping Handler,
    _ file: StaticString, _ line: UInt
  ) {
    do {
      try add(methods, pattern, options: options, handler: handler)
    } catch {
      fatalError("\(error)", file: file, line: line)
    }
  }
}
