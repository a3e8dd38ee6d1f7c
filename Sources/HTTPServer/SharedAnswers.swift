import CMicroHTTPD
import HTTPMessages

/// libmicrohttpd's form of the prebuilt answers that a lane has sent. The leader's: such an answer has a mutex inside, and is
/// looked up when it is queued, so none is ever replaced while somebody is about to queue it.
///
/// Each has its `Date` with it, which libmicrohttpd would otherwise write anew for every response: an answer is good for the second
/// in which it was made, and then made again. The set is bounded: an application that makes "shared" answers without end gets
/// ordinary ones beyond it.
struct SharedAnswers: ~Copyable {
  private struct Entry {
    let source: SharedResponse
    let answer: OpaquePointer
    /// When the second is over: CLOCK_MONOTONIC, nanoseconds.
    let until: Int64
  }

  private static let capacity = 64
  private var entries: [Entry] = []

  /// Calls with the answer for a prebuilt response, or with nil if there is no memory for one.
  mutating func withAnswer<Result>(
    for source: SharedResponse, at now: Int64, _ body: (OpaquePointer?) -> Result
  ) -> Result {
    if let index = entries.firstIndex(where: { $0.source === source }) {
      if now >= entries[index].until, let new = SharedAnswers.make(source, at: now) {
        // libmicrohttpd keeps the old one for as long as it sends it.
        MHD_destroy_response(entries[index].answer)
        entries[index] = new
      }
      return body(entries[index].answer)
    }
    guard let new = SharedAnswers.make(source, at: now) else { return body(nil) }
    if entries.count < SharedAnswers.capacity {
      entries.append(new)
      return body(new.answer)
    }
    defer { MHD_destroy_response(new.answer) }
    return body(new.answer)
  }

  private static func make(_ source: SharedResponse, at now: Int64) -> Entry? {
    guard let answer = AnswerEncoder.build(Response(shared: source), extras: AnswerEncoder.Extras()) else { return nil }
    let date = HTTPDate.current()
    _ = MHD_add_response_header(answer, "Date", date.text)
    return Entry(source: source, answer: answer, until: now &+ date.nanosecondsLeft)
  }

  deinit { for entry in entries { MHD_destroy_response(entry.answer) } }
}
