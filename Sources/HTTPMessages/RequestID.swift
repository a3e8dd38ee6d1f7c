/// The id of a request: 64 bits, written as 16 hexadecimal digits in `X-Request-Id`, logs and error answers.
///
/// May be used from any thread.
public struct RequestID: Hashable, Sendable, CustomStringConvertible {
  /// The number.
  public let value: UInt64

  /// The id of this number.
  public init(_ value: UInt64) { self.value = value }

  /// 16 hexadecimal digits in lower case.
  public var description: String {
    String(unsafeUninitializedCapacity: 16) { digits in
      var rest = value
      for index in stride(from: 15, through: 0, by: -1) {
        digits[index] = ASCII.hexDigit(UInt8(truncatingIfNeeded: rest & 15))
        rest >>= 4
      }
      return 16
    }
  }
}
