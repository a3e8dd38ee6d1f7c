import Glibc

/// What the system calls an error number.
func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }
