import Glibc
import Interleavings
import Locks

/// A client of a round: sends what it is told, and keeps what comes back.
final class Visitor: Sendable {
  private struct Kept: Sendable {
    var answers: [(target: String, status: Int, body: String)] = []
    var problem: String?
    var hasLeft = false
  }

  let steps: [Scenario.ClientStep]
  private let hasBegun: @Sendable () -> Bool
  private let descriptor: Int32
  private let kept = Locked("test.visitor", Kept())

  /// `hasBegun`: whether some handler has.
  init?(port: UInt16, _ steps: [Scenario.ClientStep], hasBegun: @escaping @Sendable () -> Bool) {
    self.steps = steps
    self.hasBegun = hasBegun
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    if result != 0 { return nil }
  }

  deinit { leave() }

  /// What came back, in order. Status 0: the connection ended instead.
  var answers: [(target: String, status: Int, body: String)] { kept.withLock { $0.answers } }
  var problem: String? { kept.withLock { $0.problem } }
  var hasReset: Bool { steps.contains { if case .reset = $0 { true } else { false } } }

  /// On a thread that takes part.
  func visit() {
    var target = ""
    for step in steps {
      Interleaving.reach(.client)
      switch step {
      case .send(let new):
        target = new
        write("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
      case .sendInTwo(let new):
        target = new
        write("GET \(target) HTTP/1.1\r\nHost: a\r\n")
        Round.idle()
        write("\r\n")
      case .receive(let statuses):
        let (status, body) = receive()
        let allowed = statuses.contains(status)
        kept.withLock { [target] in
          $0.answers.append((target, status, body))
          if !allowed { $0.problem = "\(target): answered with \(status), allowed \(statuses)" }
        }
        if status == 0 { return }
      case .pause: Round.idle()
      case .awaitHandler:
        for _ in 0..<100 where !hasBegun() { Interleaving.reach(.idling) }
      case .reset:
        Interleaving.reach(.leaving)
        leave()
      }
    }
  }

  private func write(_ text: String) { _ = send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

  /// Ends a wait from outside.
  func giveUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// What came after the last answer. When the server has closed the connection.
  func rest() -> Int {
    if kept.withLock({ $0.hasLeft }) { return 0 }
    var bytes = [UInt8](repeating: 0, count: 4096)
    return max(0, recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)))
  }

  private func leave() {
    let isFirst = kept.withLock { kept in
      defer { kept.hasLeft = true }
      return !kept.hasLeft
    }
    guard isFirst else { return }
    // With a reset, so that no port is kept from the rounds to come.
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close(descriptor)
  }

  private func receive() -> (status: Int, body: String) {
    var bytes: [UInt8] = []
    while true {
      if let answer = Visitor.parse(bytes) { return answer }
      var piece = [UInt8](repeating: 0, count: 4096)
      Interleaving.willSleep()
      let count = recv(descriptor, &piece, piece.count, 0)
      Interleaving.hasWoken()
      guard count > 0 else { return (0, "") }
      bytes += piece[..<count]
    }
  }

  /// One whole answer, and nothing behind it.
  private static func parse(_ bytes: [UInt8]) -> (status: Int, body: String)? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
    let head = text[..<end.lowerBound]
    let words = head.split(separator: " ", maxSplits: 2)
    var length = 0
    for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length:") {
      length = Int(line.dropFirst(15).filter { $0 != " " }) ?? 0
    }
    let body = text[end.upperBound...]
    guard body.utf8.count >= length, words.count > 1, let status = Int(words[1]) else { return nil }
    return (body.utf8.count == length ? status : -1, String(body))
  }
}
