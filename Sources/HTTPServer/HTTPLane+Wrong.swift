import CMicroHTTPD
import Glibc
import Interleavings

/// Wrong ways to hand a finished exchange back. In a release build: nothing.
extension HTTPLane {
  /// Does one of them, if a test wants it.
  @inline(__always)
  func postsWrongly(_ exchange: Exchange) -> Bool {
    if Interleaving.isWrong(.neverPosts) { return true }
    if Interleaving.isWrong(.expiredIsNotPosted), isExpired { return true }
    if Interleaving.isWrong(.goneIsNotPosted), let connection = exchange.connection {
      var byte: UInt8 = 0
      let count = recv(heddle_mhd_socket(connection), &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
      return count < 0 && errno == ECONNRESET
    }
    if Interleaving.isWrong(.resumesItself), let connection = exchange.connection {
      MHD_resume_connection(connection)
      return true
    }
    return false
  }
}
