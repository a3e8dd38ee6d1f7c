/// What sort of lock a row of the statistics is about. The raw values are those of the JSON and of the metrics.
package enum LockKind: String, Sendable, CaseIterable {
  case mutex
  case condition
}
