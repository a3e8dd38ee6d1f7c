import HTTPMessages
import Metrics

/// What the server keeps for each worker: figures with one writer.
///
/// Written on its worker's thread; can be read from any thread. It outlives its worker (`WorkerContexts`), so that totals do.
final class WorkerContext: Sendable {

  /// Durations by route, method and status.
  let durations = HistogramTable(HistogramBounds.requestDuration)
  /// Durations of all requests, for quantiles.
  let latency = LatencyRecorder()
  /// How long requests waited for a worker, for quantiles and as a histogram.
  let queueWait = LatencyRecorder()
  let queueWaits = HistogramCell(HistogramBounds.requestDuration)
  /// Errors that handlers threw and that were no answers of their own (see `ResponseError`).
  let thrown = SingleWriterCounter()

  /// Records an answer. On the worker's thread.
  func record(key: MetricKey, duration: Int64) {
    let nanoseconds = UInt64(max(0, duration))
    durations.record(key: key.packed, nanoseconds: nanoseconds)
    latency.record(nanoseconds: nanoseconds)
  }

  /// Records how long a request waited. On the worker's thread.
  func recordWait(_ wait: Int64) {
    let nanoseconds = UInt64(max(0, wait))
    queueWait.record(nanoseconds: nanoseconds)
    queueWaits.record(nanoseconds: nanoseconds)
  }
}

/// The labels of a request's figures in one word, so that finding its histogram compares one number.
struct MetricKey {
  /// The route's number, or ``unmatched``.
  var route: Int
  /// See `Method.code`.
  var method: UInt8
  /// The status code.
  var status: Int

  /// The route number of requests that no route matched.
  static let unmatched = 0xFFFF

  init(route: Int, method: UInt8, status: Int) {
    self.route = route
    self.method = method
    self.status = status
  }

  init(packed: UInt64) {
    route = Int(packed >> 24 & 0xFFFF)
    method = UInt8(packed >> 16 & 0xFF)
    status = Int(packed & 0xFFFF)
  }

  var packed: UInt64 { UInt64(route & 0xFFFF) << 24 | UInt64(method) << 16 | UInt64(status & 0xFFFF) }
}
