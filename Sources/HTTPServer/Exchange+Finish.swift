import CPlatform
import HTTPMessages
import Interleavings
import Metrics
import WorkerPool

/// Running a request on a worker, and finishing it.
extension Exchange {
  /// Asks the route's handler. Whatever it throws becomes an answer.
  func respond(context: WorkerContext) -> Response {
    do {
      guard let runtime else { preconditionFailure("a request without a route is answered by its refusal") }
      return try runtime._withUnsafeGuaranteedRef { try $0.handler(Request(storage)) }
    } catch {
      // An error that is an answer is no failure: its handler has said what it had to say.
      if !(error is any ResponseError) { context.thrown.add() }
      return lane.core.response(to: error, request: storage, route: route)
    }
  }

  /// Makes the answer for a response, and records it. For whoever owns the exchange: its leader before the pool has it, or
  /// whoever has claimed it.
  func encode(_ response: consuming Response, context: WorkerContext, at now: Int64) -> Answer? {
    let status = response.status.code
    record(status: status, context: context, at: now)
    // A prebuilt answer is sent as it is, unless something must be said for the sake of this request.
    if status < 400, !isDraining, response.isShared {
      return Answer(content: .shared(response.takeShared()), status: status)
    }
    return AnswerEncoder.encode(response, extras: extras(status))
  }

  /// The same for a refusal.
  func encode(_ refusal: Refusal, context: WorkerContext) -> Answer? {
    record(status: refusal.status.code, context: context, at: heddle_now())
    var extras = extras(refusal.status.code)
    extras.allow = refusal.allow
    extras.closes = extras.closes || refusal.closes
    return AnswerEncoder.encode(refusal.response(request: storage), extras: extras)
  }

  private func record(status: Int, context: WorkerContext, at now: Int64) {
    context.record(key: MetricKey(route: route, method: methodCode, status: status), duration: now &- completeAt)
  }

  private func extras(_ status: Int) -> AnswerEncoder.Extras {
    AnswerEncoder.Extras(closes: isDraining, requestID: status >= 400 ? storage.idText : nil)
  }

  // MARK: finish, on any thread, in two steps

  /// Whether the caller is the one to finish it. Nobody else may, from now on; the caller must go on to ``publish(_:)``.
  func claim() -> Bool {
    Interleaving.reach(.beforeClaim)
    return !state.set(.claimed).contains(.claimed) || Interleaving.isWrong(.noClaim)
  }

  /// Stores the result of an exchange that the caller has claimed, and makes sure that a pass meets it.
  ///
  /// After this the caller may touch the exchange only through a reference of its own.
  func publish(_ result: Answer?) {
    Interleaving.reach(.beforeFinish)
    answer = result
    let before = state.set(.finished)
    if before.contains(.abandoned) {
      // The completion callback has come and gone; nobody will ask for the result.
      result?.release()
    } else if before.contains(.suspended) || Interleaving.isWrong(.postsAlways) {
      postToLane()
    }
    // Else the next pass meets the connection anyhow, since libmicrohttpd calls back for what has no answer.
  }

  /// Apart, because whoever does not post need not count a reference to the lane.
  @inline(never)
  private func postToLane() { lane.post(self) }

  /// Finishes it with a refusal, unless somebody else has finished it. False: somebody has.
  @discardableResult
  func refuse(_ refusal: Refusal, context: WorkerContext) -> Bool {
    guard claim() else { return false }
    publish(encode(refusal, context: context))
    return true
  }

  // MARK: the pool's turn

  /// Runs the handler on the worker's thread. Returns when it ended.
  func perform(on worker: Worker, context: WorkerContext) -> Int64 {
    let started = worker.clock
    let bits = state.bits
    if bits.contains(.claimed) { return started }
    context.recordWait(started &- runnableSince)
    if bits.contains(.abandoned) {
      // The client left while the request waited. Its completion has been counted as abandoned.
      if claim() { publish(nil) }
      return started
    }
    worker.activity.begin(task: head.id, kind: route, detail: Int(methodCode))
    // What the thread has used takes a system call to read: for those only that run long beside it.
    let isLong = mayTakeLong
    let before = isLong ? heddle_thread_usage() : heddle_usage()
    let response = respond(context: context)
    let ended = heddle_now()
    runtime?._withUnsafeGuaranteedRef { runtime in
      if isLong {
        runtime.estimate.note(before, heddle_thread_usage(), run: ended &- started)
      } else {
        runtime.estimate.note(ended &- started)
      }
    }
    let isError = response.status.code >= 500
    // A drain may have answered meanwhile: the result is dropped then.
    if claim() { publish(encode(response, context: context, at: ended)) }
    worker.activity.end(isError: isError)
    return ended
  }
}
