import Testing

@testable import HTTPServer

@Suite struct HostMemoTests {
  private func accepts(_ memo: inout HostMemo, _ text: String) -> Bool {
    Array(text.utf8).withUnsafeBytes { memo.accepts($0) }
  }

  @Test func whatWasGoodIsGoodAndNothingElseIsBecauseOfIt() {
    var memo = HostMemo()
    for _ in 0..<2 {
      #expect(accepts(&memo, "example.org:8080"))
      #expect(!accepts(&memo, "example.org:808x"))
      #expect(!accepts(&memo, "example.org 8080"))
      #expect(accepts(&memo, "example.org"))
      #expect(!accepts(&memo, ""))
      #expect(!accepts(&memo, "a\u{1}"))
    }
    // Longer than what is kept.
    let long = String(repeating: "a", count: 200)
    for _ in 0..<2 {
      #expect(accepts(&memo, long))
      #expect(!accepts(&memo, long + " "))
    }
  }
}
