import CPlatform
import Glibc

/// The epoll set of one mode of one loop: its descriptor sources, the loop's eventfd, and for the time of a
/// wait the descriptor of the driver. The loop's thread only.
final class EpollSet {
  private static let capacity = 16
  private static let eventNumber: UInt64 = 0
  private static let polledNumber: UInt64 = 1

  private let descriptor: Int32
  private let eventDescriptor: Int32
  private let events: UnsafeMutablePointer<epoll_event>
  private var members: [UInt64: DescriptorSource] = [:]
  /// Members that are not watched at present, because a run nested inside their handler found them ready.
  private var suspended: [UInt64] = []
  private var nextNumber: UInt64 = 2
  private var polled: Int32 = -1
  /// How many events the last wait brought, and how often there was a wait: a nested run makes the rest of a
  /// batch stale.
  private var readyCount = 0
  private var generation = 0

  /// Nil if the system has no descriptor left.
  init?(eventDescriptor: Int32) {
    guard eventDescriptor >= 0 else { return nil }
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    self.eventDescriptor = eventDescriptor
    events = .allocate(capacity: EpollSet.capacity)
    guard EpollSet.control(descriptor, EPOLL_CTL_ADD, eventDescriptor, EPOLLIN.rawValue, EpollSet.eventNumber) == 0
    else {
      close(descriptor)
      events.deallocate()
      return nil
    }
  }

  deinit {
    close(descriptor)
    events.deallocate()
  }

  var isEmpty: Bool { members.isEmpty }

  var sources: [DescriptorSource] { Array(members.values) }

  /// Whether the source is watched from now on (or was already).
  func add(_ source: DescriptorSource) -> Bool {
    if members.values.contains(where: { $0 === source }) { return true }
    guard watch(source, nextNumber) else { return false }
    members[nextNumber] = source
    nextNumber += 1
    return true
  }

  func remove(_ source: DescriptorSource) {
    guard let number = members.first(where: { $0.value === source })?.key else { return }
    members[number] = nil
    // Fails where the descriptor was closed already, which took it out of the set.
    _ = EpollSet.control(descriptor, EPOLL_CTL_DEL, source.descriptor, 0, number)
  }

  /// Says which descriptor of the driver wakes the next wait; -1: none. Costs a system call only where it
  /// changes.
  func setPolled(_ new: Int32) {
    if new == polled { return }
    // Fails where the descriptor was closed already, which took it out of the set.
    if polled >= 0 { _ = EpollSet.control(descriptor, EPOLL_CTL_DEL, polled, 0, EpollSet.polledNumber) }
    polled = new
    if new < 0 { return }
    let errno = EpollSet.control(descriptor, EPOLL_CTL_ADD, new, EPOLLIN.rawValue, EpollSet.polledNumber)
    precondition(errno == 0, "The driver's descriptor \(new) cannot be watched (error \(errno))")
  }

  /// Waits until something is ready, at most `nanoseconds` (negative: for ever; 0: only looks). False:
  /// interrupted.
  func wait(nanoseconds: Int64) -> Bool {
    if !suspended.isEmpty { resume() }
    generation += 1
    let count = heddle_epoll_wait(descriptor, events, Int32(EpollSet.capacity), nanoseconds)
    readyCount = max(Int(count), 0)
    return count != -EINTR
  }

  /// Whether the last wait brought an event for the application.
  private var hasReadySources: Bool {
    (0..<readyCount).contains { events[$0].data.u64 > EpollSet.polledNumber }
  }

  /// Takes care of what the last wait brought for the loop itself.
  private func clearOwnEvents(takesPolled: Bool) {
    for index in 0..<readyCount {
      switch events[index].data.u64 {
      case EpollSet.eventNumber:
        heddle_eventfd_clear(eventDescriptor)
      case EpollSet.polledNumber where takesPolled:
        // Take the driver's events, as a wait in its own set does: an edge-triggered member would stay ready
        // for ever.
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 8) { buffer in
          if let base = buffer.baseAddress { _ = heddle_epoll_wait(polled, base, 8, 0) }
        }
      default:
        break
      }
    }
  }

  /// Deals with what the last wait brought. True: there was a source among it, and its handler was called.
  /// - Parameters:
  ///   - takesPolled: whether to take the driver's events away; not where it did not ask to wait, for then
  ///     they may be somebody else's by now
  ///   - willCall: called before the first handler
  func dispatch(takesPolled: Bool, _ willCall: () -> Void) -> Bool {
    clearOwnEvents(takesPolled: takesPolled)
    let mine = generation
    let count = readyCount
    let hasSources = hasReadySources
    readyCount = 0
    guard hasSources else { return false }
    willCall()
    for index in 0..<count {
      // A handler ran this loop, and the buffer holds another batch: what was not handled is reported again.
      if generation != mine { break }
      dispatch(events[index].data.u64, DescriptorEvents(rawValue: events[index].events))
    }
    return true
  }

  private func dispatch(_ number: UInt64, _ ready: DescriptorEvents) {
    // An earlier handler of the batch may have removed it.
    guard let source = members[number], source.isValid else { return }
    if source.beginHandling() {
      source.handler(ready)
      source.endHandling()
    } else {
      suspended.append(number)
      _ = EpollSet.control(descriptor, EPOLL_CTL_DEL, source.descriptor, 0, number)
    }
  }

  /// Watches again what was suspended and whose handler has returned.
  private func resume() {
    suspended.removeAll { number in
      guard let source = members[number] else { return true }
      return !source.isHandling && watch(source, number)
    }
  }

  private func watch(_ source: DescriptorSource, _ number: UInt64) -> Bool {
    let events = source.events.subtracting(.invalid).rawValue
    return EpollSet.control(descriptor, EPOLL_CTL_ADD, source.descriptor, events, number) == 0
  }

  /// epoll_ctl; returns 0 or an error number.
  private static func control(
    _ set: Int32, _ operation: Int32, _ descriptor: Int32, _ events: UInt32, _ number: UInt64
  ) -> Int32 {
    var event = epoll_event()
    event.events = events
    event.data.u64 = number
    return epoll_ctl(set, operation, descriptor, &event) == 0 ? 0 : errno
  }
}
