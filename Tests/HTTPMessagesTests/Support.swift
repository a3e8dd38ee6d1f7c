import HTTPMessages

/// Makes numbers from a seed (splitmix64), so that a failure can be seen again.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Calls with the UTF-8 bytes of a text.
func withRaw<R>(_ text: String, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
  try Array(text.utf8).withUnsafeBytes(body)
}

func text(_ bytes: UnsafeRawBufferPointer?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

extension RequestStorage {
  func setTarget(_ target: String) { withRaw(target) { setTarget($0) } }

  func addField(_ name: String, _ value: String) {
    withRaw(name) { name in withRaw(value) { addField(name: name, value: $0) } }
  }
}

extension RouteTable {
  /// The request as its handler would see it, and what the table says of it.
  func match(_ method: Method, _ target: String) -> (match: RouteMatch, request: Request) {
    let request = Request(method: method, target: target)
    return (match(method: method, path: request.storage.pathBytes, into: request.storage), request)
  }

  /// The pattern of the route that is found, else the answer in a word.
  func outcome(_ method: Method, _ target: String) -> String {
    switch match(method, target).match {
    case .found(let index): routes[index].pattern
    case .methodNotAllowed(let allow): "405 \(allow)"
    case .options(let allow): "204 \(allow)"
    case .notFound: "404"
    }
  }
}
