import Glibc
import HTTPMessages

/// The last `Host` value that was found to be valid. Nearly all requests of a lane have the same one, and comparing it costs a tenth of
/// looking at each of its bytes. The leader's.
struct HostMemo: ~Copyable {
  private static let capacity = 64
  private let bytes = UnsafeMutableRawPointer.allocate(byteCount: HostMemo.capacity, alignment: 8)
  private var count = -1

  deinit { bytes.deallocate() }

  /// Whether a value is valid and holds nothing that no field value may hold.
  mutating func accepts(_ value: UnsafeRawBufferPointer) -> Bool {
    guard let base = value.baseAddress else { return HeadSyntax.isHost(value) }
    if value.count == count, memcmp(bytes, base, count) == 0 { return true }
    guard HeadSyntax.isHost(value) else { return false }
    if value.count <= HostMemo.capacity {
      memcpy(bytes, base, value.count)
      count = value.count
    }
    return true
  }
}
