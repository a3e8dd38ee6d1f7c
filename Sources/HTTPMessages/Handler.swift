/// What answers a request: a plain function that may block, and may throw (see `ResponseError`). It is called on many
/// threads at once.
public typealias Handler = @Sendable (_ request: Request) throws -> Response

/// What stands around a handler: it may answer itself, or call `next` and change what comes back.
///
/// Chains are put together once, in `Router.freeze()`, so a request pays one function call for each. It is called on many
/// threads at once, and on an inline route it must not block.
public typealias Middleware = @Sendable (_ request: Request, _ next: Handler) throws -> Response
