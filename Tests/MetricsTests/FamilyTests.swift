import Metrics
import Testing

@Suite struct FamilyTests {
  @Test func goodNamesPass() {
    let family = MetricFamily(
      "_a:B9_seconds_total", help: "", type: .counter, unit: "seconds",
      samples: [MetricSample(labels: [("_x", "é"), ("le", "1"), ("a9", "")], value: .integer(1))])
    #expect(family.name == "_a:B9_seconds_total")
  }

  @Test func badMetricNamesEndTheProcess() async {
    await #expect(processExitsWith: .failure) { _ = MetricFamily("", help: "", type: .gauge, samples: []) }
    await #expect(processExitsWith: .failure) { _ = MetricFamily("9a", help: "", type: .gauge, samples: []) }
    await #expect(processExitsWith: .failure) { _ = MetricFamily("a-b", help: "", type: .gauge, samples: []) }
    await #expect(processExitsWith: .failure) { _ = MetricFamily("é", help: "", type: .gauge, samples: []) }
  }

  @Test func onlyCountersAreTotals() async {
    await #expect(processExitsWith: .failure) { _ = MetricFamily("a", help: "", type: .counter, samples: []) }
    await #expect(processExitsWith: .failure) {
      _ = MetricFamily("a_total", help: "", type: .gauge, samples: [])
    }
  }

  @Test func theNameEndsWithItsUnit() async {
    await #expect(processExitsWith: .failure) {
      _ = MetricFamily("a_bytes", help: "", type: .gauge, unit: "seconds", samples: [])
    }
  }

  @Test func valuesFitTheType() async {
    await #expect(processExitsWith: .failure) {
      _ = MetricFamily("a", help: "", type: .gauge, value: .histogram(.empty(.requestDuration)))
    }
    await #expect(processExitsWith: .failure) {
      _ = MetricFamily("a", help: "", type: .histogram, value: .integer(1))
    }
  }

  @Test func badLabelNamesEndTheProcess() async {
    await #expect(processExitsWith: .failure) { _ = MetricSample(labels: [("a:b", "")], value: .integer(1)) }
    await #expect(processExitsWith: .failure) { _ = MetricSample(labels: [("__a", "")], value: .integer(1)) }
    await #expect(processExitsWith: .failure) { _ = MetricSample(labels: [("", "")], value: .integer(1)) }
    await #expect(processExitsWith: .failure) {
      _ = MetricSample(labels: [("a", "1"), ("a", "2")], value: .integer(1))
    }
    await #expect(processExitsWith: .failure) {
      let sample = MetricSample(labels: [("le", "1")], value: .histogram(.empty(.requestDuration)))
      _ = MetricFamily("a", help: "", type: .histogram, samples: [sample])
    }
  }
}
