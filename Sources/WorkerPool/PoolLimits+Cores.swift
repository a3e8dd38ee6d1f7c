import CPlatform

extension PoolLimits {
  /// The processors that this process may run on, at least 1: its affinity mask, which `taskset` and
  /// container runtimes narrow, rather than the machine's count. May be called from any thread.
  public static var cores: Int { Int(heddle_cpu_count()) }
}
