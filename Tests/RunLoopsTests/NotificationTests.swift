import RunLoops
import Testing

@Suite struct NotificationTests {
  private func run(_ body: @escaping @Sendable (ThreadRunLoop, Record) -> Void) throws -> [String] {
    let record = Record()
    try onThread { loop in
      for name in ["a", "b"] {
        loop.addNotificationHandler(for: name) { record.add("\($0.name)\($0.token)") }
      }
      body(loop, record)
    }
    return record.all
  }

  @Test func eachIsToldAtItsTime() throws {
    let seen = try run { loop, record in
      loop.perform {
        loop.post(LoopNotification("a", token: 1), when: .whenIdle)
        loop.post(LoopNotification("a", token: 2), when: .asap)
        loop.post(LoopNotification("a", token: 3), when: .now)
        loop.perform { record.add("block") }
        record.add("posted")
      }
      record.add("\(loop.run())")
    }
    #expect(seen == ["a3", "posted", "a2", "block", "a1", "finished"])
  }

  @Test func likeOnesCoalesce() throws {
    let seen = try run { loop, record in
      for delivery in [LoopNotification.Delivery.asap, .whenIdle] {
        for name in ["a", "b", "a"] {
          for token in [1, 2, 1] as [UInt64] { loop.post(LoopNotification(name, token: token), when: delivery) }
        }
        loop.run()
        record.add("-")
        loop.post(LoopNotification("a", token: 1), when: delivery, coalescing: [.onName])
        loop.post(LoopNotification("a", token: 2), when: delivery, coalescing: [.onName])
        loop.post(LoopNotification("b", token: 1), when: delivery, coalescing: [.onToken])
        loop.post(LoopNotification("b", token: 3), when: delivery, coalescing: [])
        loop.post(LoopNotification("b", token: 3), when: delivery, coalescing: [])
        loop.run()
        record.add("-")
      }
    }
    let once = ["a1", "a2", "b1", "b2", "-", "a1", "b3", "b3", "-"]
    #expect(seen == once + once)
  }

  @Test func oneThatIsToldNowReplacesThoseThatWait() throws {
    let seen = try run { loop, record in
      loop.post(LoopNotification("a", token: 1), when: .whenIdle)
      loop.post(LoopNotification("a", token: 1), when: .asap)
      loop.post(LoopNotification("b", token: 1), when: .asap)
      loop.post(LoopNotification("a", token: 1), when: .now)
      loop.run()
    }
    #expect(seen == ["a1", "b1"])
  }

  @Test func removedHandlerIsNotTold() throws {
    let seen = try run { loop, record in
      let number = loop.addNotificationHandler(for: "a") { _ in record.add("never") }
      loop.removeNotificationHandler(number)
      loop.post(LoopNotification("a"), when: .now)
    }
    #expect(seen == ["a0"])
  }
}
