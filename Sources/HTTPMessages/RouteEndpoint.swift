/// The routes of one pattern, by method.
struct RouteEndpoint: Sendable {
  /// Route index by slot; -1: none. Fallbacks (HEAD to GET, all to `any`) are filled in by `finish`.
  private(set) var slots: [Int32]
  /// The methods that a route names or a fallback serves, by bit of the slot; without `any` for unknown methods.
  private(set) var served: UInt64 = 0

  init(slotCount: Int) { slots = [Int32](repeating: -1, count: slotCount) }

  mutating func add(_ methods: [Method], route: Int32, among known: RouteMethods) {
    if methods.isEmpty { slots[RouteMethods.anySlot] = route }
    for method in methods {
      let slot = known.slot(of: method)
      slots[slot] = route
      served |= 1 << UInt64(slot)
    }
  }

  /// Fills in the fallbacks, once all routes are there.
  mutating func finish() {
    let (get, head, any) = (Int(Method.get.code), Int(Method.head.code), slots[RouteMethods.anySlot])
    if slots[head] < 0 { slots[head] = slots[get] }
    let never = [Int(Method.trace.code), Int(Method.connect.code)]
    for slot in slots.indices where slots[slot] < 0 && !never.contains(slot) { slots[slot] = any }
    for slot in 0..<RouteMethods.anySlot where slots[slot] >= 0 { served |= 1 << UInt64(slot) }
  }
}
