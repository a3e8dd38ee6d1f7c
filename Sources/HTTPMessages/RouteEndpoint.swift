/// The routes of one pattern, by method.
struct RouteEndpoint: Sendable {
  /// Slots in the table's `slots`: one for each well-known method, and one for `any`.
  static let slotCount = 10
  static let anySlot = Int(Method.otherCode)

  /// Route index by method code; -1: none. Fallbacks (HEAD to GET, all to `any`) are filled in.
  private(set) var slots = [Int32](repeating: -1, count: RouteEndpoint.slotCount)
  /// Routes of methods that are not well known.
  private(set) var others: [(method: Method, route: Int32)] = []
  /// The methods of the well-known ones served, by bit.
  private(set) var served: UInt16 = 0
  /// The value of `Allow`.
  private(set) var allow = ""

  mutating func add(_ methods: [Method], route: Int32) {
    if methods.isEmpty { slots[RouteEndpoint.anySlot] = route }
    for method in methods {
      if method.code < Method.otherCode {
        slots[Int(method.code)] = route
      } else {
        others.append((method, route))
      }
    }
  }

  /// Fills in the fallbacks, once all routes are there.
  mutating func finish() {
    let (get, head) = (Int(Method.get.code), Int(Method.head.code))
    if slots[head] < 0 { slots[head] = slots[get] }
    for code in 0..<RouteEndpoint.anySlot
    where slots[code] < 0 && code != Int(Method.trace.code) && code != Int(Method.connect.code) {
      slots[code] = slots[RouteEndpoint.anySlot]
    }
    for code in 0..<RouteEndpoint.anySlot where slots[code] >= 0 { served |= 1 << UInt16(code) }
    // OPTIONS is always answered, by a route or automatically.
    served |= 1 << UInt16(Method.options.code)
    allow = RouteEndpoint.allow(served, others.map(\.method))
  }

  static func allow(_ served: UInt16, _ others: [Method]) -> String {
    var names = Method.names.indices.filter { served & (1 << UInt16($0)) != 0 }.map { Method.names[$0] }
    for method in others where !names.contains(method.token) { names.append(method.token) }
    return names.joined(separator: ", ")
  }
}
