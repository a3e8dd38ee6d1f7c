import CMicroHTTPD
import CPlatform
import Glibc
import HTTPMessages
import Interleavings

/// What the leader does when libmicrohttpd calls: a request's head, its body, its end, and the question for its answer.
extension HTTPLane {
  // MARK: head

  /// The head has come.
  func receiveHead(
    _ exchange: Exchange, _ connection: OpaquePointer, method: UnsafeRawBufferPointer, version: UnsafeRawBufferPointer
  ) -> MHD_Result {
    figures.requests.add()
    let head = exchange.head
    exchange.completeAt = now
    head.receivedAt = now
    exchange.stage = .body
    guard head.setMethod(method) else {
      return refuse(exchange, connection, Refusal(.badRequest, "the method is not a token", closes: true))
    }
    exchange.methodCode = head.methodCode
    let size = heddle_mhd_head_size(connection)
    guard MHDCallbacks.copyFields(of: connection, into: head, method: method, version: version, size: size) else {
      return refuse(
        exchange, connection,
        Refusal(
          .badRequest, "the head holds a NUL byte, a folded line, a line that ends without CR, or a stray blank",
          closes: true))
    }
    if head.targetBytes.count > core.configuration.maxTargetBytes {
      let limit = core.configuration.maxTargetBytes
      return refuse(
        exchange, connection, Refusal(.uriTooLong, "the request target may have at most \(limit) bytes", closes: true))
    }
    if size > core.configuration.maxHeaderBytes {
      let limit = core.configuration.maxHeaderBytes
      return refuse(
        exchange, connection,
        Refusal(.requestHeaderFieldsTooLarge, "the head of a request may have at most \(limit) bytes", closes: true))
    }
    let body: HeadCheck.Body
    do throws(Refusal) {
      body = try HeadCheck.body(of: head, version: version, hosts: &hosts)
    } catch {
      return refuse(exchange, connection, error)
    }
    if let client = exchange.client { head.setPeer(client._withUnsafeGuaranteedRef { $0.peer }) }
    route(exchange, head)
    return prepareForBody(exchange, connection, body)
  }

  private func route(_ exchange: Exchange, _ head: RequestHead) {
    switch routes._withUnsafeGuaranteedRef({ $0.match(head) }) {
    case .found(let index):
      let runtime = runtimes._withUnsafeGuaranteedRef { $0[index] }
      exchange.route = index
      exchange.runtime = runtime
      exchange.bodyLimit = runtime._withUnsafeGuaranteedRef { $0.bodyLimit }
    case .methodNotAllowed(let allow):
      exchange.refusal = Refusal(
        .methodNotAllowed, "the method \(exchange.storage.method) is not allowed here; allowed: \(allow)", allow: allow)
    case .options(let allow):
      exchange.refusal = Refusal(.noContent, "", allow: allow)
    case .notFound:
      exchange.refusal = Refusal(.notFound, "there is nothing at this path")
    }
  }

  /// Decides whether the body is read. An answer to a request whose body is still on its way would meet a sender that is
  /// reset before it reads the answer; so a body of moderate size is read and thrown away first.
  private func prepareForBody(_ exchange: Exchange, _ connection: OpaquePointer, _ body: HeadCheck.Body) -> MHD_Result {
    // Most requests have no body, and what they ask for is there.
    if body == .none, exchange.refusal == nil { return .YES }
    // A whole head is a sign of life. Where no body follows nobody asks: what comes next is ours to do.
    note(exchange, .sendingBody)
    if case .length(let length) = body {
      if exchange.refusal == nil, length > exchange.bodyLimit {
        exchange.refusal = .bodyTooLarge(limit: exchange.bodyLimit)
      }
      if exchange.refusal == nil { exchange.head.reserveBody(min(length, 64 * 1024)) }
      if exchange.refusal != nil, length > core.configuration.swallowLimit {
        return answerRefusal(exchange, connection)
      }
    }
    if exchange.refusal != nil, body != .none, exchange.storage.firstField(named: "expect") != nil {
      // The client waits to hear whether its body is wanted.
      return answerRefusal(exchange, connection)
    }
    return .YES
  }

  private func refuse(_ exchange: Exchange, _ connection: OpaquePointer, _ refusal: Refusal) -> MHD_Result {
    exchange.refusal = refusal
    return answerRefusal(exchange, connection)
  }

  // MARK: body

  /// A piece of the body has come.
  func receiveBody(_ exchange: Exchange, _ piece: UnsafeRawBufferPointer) -> MHD_Result {
    note(exchange, .sendingBody)
    if exchange.refusal == nil, exchange.head.bodyCount + piece.count > exchange.bodyLimit {
      exchange.refusal = .bodyTooLarge(limit: exchange.bodyLimit)
    }
    guard exchange.refusal != nil else {
      exchange.head.appendBody(piece)
      return .YES
    }
    exchange.swallowed += piece.count
    // libmicrohttpd takes no answer in the middle of a body: beyond the bound the connection is closed without one.
    return exchange.swallowed > core.configuration.swallowLimit ? .NO : .YES
  }

  // MARK: answers

  /// The request is complete.
  func requestIsComplete(_ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
    exchange.completeAt = now
    if exchange.refusal != nil { return answerRefusal(exchange, connection) }
    if isExpired, !Interleaving.isWrong(.latecomerRuns) {
      exchange.refusal = .stopping
      figures.expired.add()
      return answerRefusal(exchange, connection)
    }
    guard let runtime = exchange.runtime, runtime._withUnsafeGuaranteedRef({ $0.isInline }) else {
      collect(exchange)
      return .YES
    }
    let response = exchange.respond(context: leaderContext)
    let answer = exchange.encode(response, context: leaderContext, at: heddle_now())
    return queue(answer, for: exchange, connection)
  }

  /// The connection of a request that the pool has. Its answer is queued if it is there; if not, now it is suspended.
  func meetAgain(_ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
    // libmicrohttpd often calls twice in one pass: a second call in the pass that collected the request says nothing.
    if exchange.collectedInPass == passNumber { return .YES }
    let isFinished = exchange.state.bits.contains(.finished)
    Interleaving.reach(.beforeMark)
    if !isFinished, !exchange.state.set(.suspended).contains(.finished) {
      // The bit before the act: safe, because only a leader resumes, in a later pass.
      figures.suspensions.add()
      Interleaving.reach(.beforeSuspend)
      Interleaving.note(.connectionSuspended)
      MHD_suspend_connection(connection)
      return .YES
    }
    // libmicrohttpd does not see it when the client of a suspended connection leaves. Its completion counts the request as
    // abandoned, and drops the answer.
    if exchange.state.bits.contains(.suspended), HTTPLane.isReset(connection) { return .NO }
    let answer = exchange.answer
    exchange.answer = nil
    return queue(answer, for: exchange, connection)
  }

  /// Whether the client has gone for good. One that merely sends no more (end of stream) still waits for its answer.
  private static func isReset(_ connection: OpaquePointer) -> Bool {
    var byte: UInt8 = 0
    return recv(heddle_mhd_socket(connection), &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) < 0
      && errno != EAGAIN && errno != EINTR
  }

  private func answerRefusal(_ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
    guard let refusal = exchange.refusal else { return .NO }
    return queue(exchange.encode(refusal, context: leaderContext), for: exchange, connection)
  }

  private func queue(_ answer: Answer?, for exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
    // Without memory for an answer the connection is closed; its completion counts it as abandoned.
    guard let answer else { return .NO }
    let result =
      switch answer.content {
      case .built(let response): MHD_queue_response(connection, UInt32(answer.status), response)
      case .shared(let source):
        source._withUnsafeGuaranteedRef { source in
          sharedAnswers.withAnswer(for: source, at: now) { response in
            response.map { MHD_queue_response(connection, UInt32(answer.status), $0) } ?? .NO
          }
        }
      }
    answer.release()
    guard result == .YES else { return .NO }
    exchange.stage = .answered
    exchange.client?._withUnsafeGuaranteedRef { $0.phase = .receiving }
    figures.answered.add()
    return .YES
  }
}
