/// The methods that a table knows: each has a slot, the place of its route in an endpoint.
struct RouteMethods: Sendable {
  /// The slot of `any` for methods that no route names: that of well-known methods is their code.
  static let anySlot = Int(Method.otherCode)
  /// How many methods beyond the well-known ones the routes may name: a set of slots is one word.
  static let extensionLimit = 64 - 1 - anySlot

  /// The methods beyond the well-known ones, in the order of their slots behind `anySlot`.
  let extensions: [Method]

  init(_ methods: [Method]) {
    var extensions: [Method] = []
    for method in methods where method.code == Method.otherCode && !extensions.contains(method) {
      extensions.append(method)
    }
    self.extensions = extensions
  }

  var slotCount: Int { RouteMethods.anySlot + 1 + extensions.count }

  /// The slot of a method.
  @inline(__always)
  func slot(of method: Method) -> Int {
    if method.code < Method.otherCode { return Int(method.code) }
    return extensions.firstIndex(of: method).map { RouteMethods.anySlot + 1 + $0 } ?? RouteMethods.anySlot
  }

  /// The value of `Allow` for a set of slots. OPTIONS is always answered, by a route or automatically.
  func allow(_ served: UInt64) -> String {
    let known = Method.names.indices.filter { served & (1 << UInt64($0)) != 0 || $0 == Int(Method.options.code) }
    let other = extensions.indices.filter { served & (1 << UInt64(RouteMethods.anySlot + 1 + $0)) != 0 }
    return (known.map { Method.names[$0] } + other.map { extensions[$0].token }).joined(separator: ", ")
  }
}
