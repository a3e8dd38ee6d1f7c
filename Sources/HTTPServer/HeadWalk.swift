import CMicroHTTPD
import HTTPMessages

/// A second look at a request's head, as it lies in libmicrohttpd's memory: the pieces that the library lists must fill it without
/// a gap.
///
/// The library cuts lines at a NUL byte, joins folded lines, and takes LF for the end of a line, so that it and whoever sends or
/// forwards a request may see different requests in the same bytes: request smuggling (RFC 9112 section 11.2). In 0.9.75 the head
/// stays where it was read, with the blanks of the request line, each colon, CR and LF turned to NUL; so each name must lie where the
/// line before it ended. Other versions lay their memory out otherwise, and are not checked here.
struct HeadWalk {
  /// Whether the library has the layout that this rests on.
  static let isPossible = String(cString: MHD_get_version()) == "0.9.75"

  /// Where the next line must begin.
  private var next: UnsafeRawPointer
  private let end: UnsafeRawPointer
  /// Whether there was no gap so far.
  private(set) var isWhole: Bool

  /// Looks at the request line.
  ///
  /// - Parameters:
  ///   - size: bytes of the whole head, from the method's first to the last line's end
  ///   - target: as it was received
  init(
    method: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer, version: UnsafeRawBufferPointer, size: Int
  ) {
    guard let start = method.baseAddress, let versionStart = version.baseAddress else {
      preconditionFailure("a request line without a method or a version")
    }
    // One blank between the parts; CR and LF behind them.
    isWhole = versionStart == start + method.count + 1 + target.count + 1
    next = versionStart + version.count + 2
    end = start + size
  }

  /// Looks at a field's line.
  mutating func step(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    guard isWhole else { return }
    guard let nameStart = name.baseAddress, let valueStart = value.baseAddress, nameStart == next,
      valueStart > nameStart, valueStart < end
    else {
      isWhole = false
      return
    }
    // The colon, and blanks.
    var position = nameStart + name.count + 1
    while position < valueStart {
      let byte = position.load(as: UInt8.self)
      if byte != 0x20 && byte != 0x09 { break }
      position += 1
    }
    isWhole = position == valueStart
    next = valueStart + value.count + 2
  }

  /// Whether the head ends where it should: with an empty line behind the last field.
  var isComplete: Bool { isWhole && next + 2 == end }
}
