import Glibc

/// What follows from several options together.
extension ServeOptions {
  /// The least number of threads that can serve: each lane has a leader, and one thread must be free to work.
  var leastThreads: Int { lanes + 1 }

  /// The minimum of workers where none was asked for: one for each core, but no fewer than the lanes need and
  /// no more than the maximum allows.
  func defaultMinThreads(cores: Int) -> Int {
    min(max(cores, leastThreads), maxThreads)
  }

  /// The minimum of workers to run with, on a machine with so many cores.
  func effectiveMinThreads(cores: Int) -> Int {
    minThreads ?? defaultMinThreads(cores: cores)
  }

  /// Whether the lab routes are to be there: as asked, else only where nobody but this machine can reach
  /// them.
  var labIsOn: Bool { lab ?? hostIsLoopback }

  /// Whether the address can be reached from this machine alone. A name other than `localhost` counts as
  /// reachable: what it stands for is known only when it is looked up.
  var hostIsLoopback: Bool {
    var v4 = in_addr()
    if inet_pton(AF_INET, host, &v4) == 1 {
      return withUnsafeBytes(of: v4) { $0[0] == 127 }
    }
    var v6 = in6_addr()
    if inet_pton(AF_INET6, host, &v6) == 1 {
      return withUnsafeBytes(of: v6) { bytes in
        let leadingZeros = bytes.prefix { $0 == 0 }.count
        let isOne = leadingZeros == 15 && bytes[15] == 1
        let isMapped = leadingZeros == 10 && bytes[10] == 0xFF && bytes[11] == 0xFF
        return isOne || (isMapped && bytes[12] == 127)
      }
    }
    return host == "localhost"
  }

  /// The first pair of options that do not go together: the name of the one to change, its value and what is allowed.
  func firstConflict() -> (option: String, value: String, allowed: String)? {
    if maxThreads < leastThreads {
      return ("max-threads", "\(maxThreads)", "must be at least lanes + 1 = \(leastThreads)")
    }
    if shedInterval < shedTarget {
      let (interval, target) = (ValueText.text(ofDuration: shedInterval), ValueText.text(ofDuration: shedTarget))
      return ("shed-interval", interval, "must be at least --shed-target = \(target)")
    }
    guard let minThreads else { return nil }
    if minThreads < leastThreads {
      return ("min-threads", "\(minThreads)", "must be at least lanes + 1 = \(leastThreads)")
    }
    if minThreads > maxThreads {
      return ("min-threads", "\(minThreads)", "must be at most --max-threads = \(maxThreads)")
    }
    return nil
  }

  /// One line that says why the public folder cannot be served, or nil where it can. Looks at the file
  /// system.
  func publicFolderProblem() -> String? {
    guard let publicFolder else { return nil }
    guard let directory = opendir(publicFolder) else {
      let reason = String(cString: strerror(errno))
      return UsageLine.make(
        "--public", publicFolder, "cannot be read (\(reason)); allowed: a readable folder")
    }
    closedir(directory)
    return nil
  }
}
