import CMicroHTTPD
import HTTPMessages

/// libmicrohttpd's form of the prebuilt answers that one worker has sent.
///
/// One set for each worker, since such an answer has a mutex inside. The set is bounded: an application that makes
/// "shared" answers without end gets ordinary ones beyond it.
struct SharedAnswers: ~Copyable {
  private struct Entry {
    let source: SharedResponse
    let answer: OpaquePointer
  }

  private static let capacity = 64
  private var entries: [Entry] = []

  /// The answer for a response that is a prebuilt one, or nil if it is not here.
  func find(_ response: Response) -> Answer? {
    guard let source = response.shared else { return nil }
    for entry in entries where entry.source === source {
      return Answer(response: entry.answer, status: source.status.code, isOwned: false)
    }
    return nil
  }

  /// Keeps an answer. False: there is no room, it stays the caller's.
  mutating func keep(_ answer: OpaquePointer, for source: SharedResponse) -> Bool {
    guard entries.count < SharedAnswers.capacity else { return false }
    entries.append(Entry(source: source, answer: answer))
    return true
  }

  deinit { for entry in entries { MHD_destroy_response(entry.answer) } }
}
