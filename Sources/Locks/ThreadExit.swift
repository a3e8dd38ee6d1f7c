// The one file here that passes a function to C.

import CPlatform
import Glibc

/// Sees to the records of threads that end without a word.
enum ThreadExit {
  /// Registers the thread's record with its pthread key, whose destructor gives it back.
  static func watchCurrentThread(_ record: UnsafeMutableRawPointer) { pthread_setspecific(key, record) }

  static func forgetCurrentThread() { pthread_setspecific(key, nil) }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let result = pthread_key_create(&key) { _ in ThreadRecord.retire() }
    if result != 0 { fatalError("pthread_key_create failed with error \(result)") }
    return key
  }()
}
