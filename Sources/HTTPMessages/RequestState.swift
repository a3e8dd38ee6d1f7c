import Glibc

/// Everything a request consists of, behind one pointer: reading it costs no exclusivity check.
struct RequestState: ~Copyable {
  /// The most path parameters that a pattern may have.
  static let parameterLimit = 8
  private static let initialFields = 32

  var method = Method.get
  /// Target, field names and values, peer address: all that is found by a `ByteRange`.
  var head = ByteStore(capacity: 2048)
  var body = ByteStore(capacity: 0)
  var target = ByteRange.empty
  var path = ByteRange.empty
  /// The path that OPTIONS has instead, where the target has neither path nor query.
  var serverPath: ByteRange?
  var query: ByteRange?
  var peer = ByteRange.empty
  var id: UInt64 = 0
  var receivedAt: Int64 = 0

  private(set) var fields: UnsafeMutablePointer<FieldRange>
  private(set) var fieldCount = 0
  private var fieldCapacity = RequestState.initialFields

  /// Set by the router: the matched route, where its parameters lie, and their names.
  var routeIndex = -1
  let parameters: UnsafeMutablePointer<ByteRange>
  var parameterCount = 0
  var parameterNames: [String] = []
  var wildcard: ByteRange?

  init() {
    fields = .allocate(capacity: RequestState.initialFields)
    parameters = .allocate(capacity: RequestState.parameterLimit)
  }

  deinit {
    fields.deallocate()
    parameters.deallocate()
  }

  /// Sets one of the well-known methods. What was there is released only where it was another, with a text of its own.
  @inline(__always)
  mutating func setMethod(knownCode code: UInt8) {
    if method.code == code { return }
    method = Method(code: code)
  }

  mutating func appendField(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    if fieldCount == fieldCapacity { growFields() }
    (fields + fieldCount).initialize(to: FieldRange(name: head.append(name), value: head.append(value)))
    fieldCount += 1
  }

  private mutating func growFields() {
    let grown = UnsafeMutablePointer<FieldRange>.allocate(capacity: fieldCapacity * 2)
    grown.moveInitialize(from: fields, count: fieldCount)
    fields.deallocate()
    fields = grown
    fieldCapacity *= 2
  }

  mutating func clearRoute() {
    routeIndex = -1
    parameterCount = 0
    wildcard = nil
    if !parameterNames.isEmpty { parameterNames = [] }
  }

  /// Back to an empty request. Memory up to the bounds is kept, so a usual request allocates nothing.
  mutating func reset(headBound: Int, bodyBound: Int) {
    setMethod(knownCode: Method.get.code)
    head.removeAll(keepingUpTo: headBound)
    body.removeAll(keepingUpTo: bodyBound)
    target = .empty
    path = .empty
    serverPath = nil
    query = nil
    peer = .empty
    id = 0
    receivedAt = 0
    fieldCount = 0
    clearRoute()
  }
}

/// Where the name and the value of one field lie.
struct FieldRange {
  let name: ByteRange
  let value: ByteRange
}
