@testable import Metrics
import Testing

@Suite struct EncoderTests {
  private static let families = [
    MetricFamily(
      "heddle_requests_total", help: "Requests answered, by \"status\".\nAll of them: C:\\.", type: .counter,
      samples: [
        MetricSample(labels: [("status", "2xx"), ("route", "/a\"b\\c\nd")], value: .unsigned(.max)),
        MetricSample(labels: [("status", "5xx"), ("route", "")], value: .integer(0)),
      ]),
    MetricFamily(
      "process_cpu_seconds_total", help: "CPU time.", type: .counter, unit: "seconds", value: .number(1.25)),
    MetricFamily("heddle_level", help: "A level.", type: .gauge, value: .integer(-3)),
    MetricFamily(
      "heddle_wait_seconds", help: "Waits.", type: .histogram, unit: "seconds",
      samples: [
        MetricSample(
          labels: [("lock", "demo")],
          value: .histogram(
            HistogramSnapshot(bounds: [0.00005, 0.5, 1, 2_500_000], counts: [1, 2, 0, 0, 3], sum: 12.5))),
        MetricSample(value: .histogram(HistogramSnapshot(bounds: [1], counts: [0, 0], sum: 0))),
      ]),
  ]

  @Test func prometheusText() {
    let text = String(decoding: PrometheusEncoder.encode(Self.families), as: UTF8.self)
    #expect(
      text == #"""
        # HELP heddle_requests_total Requests answered, by "status".\nAll of them: C:\\.
        # TYPE heddle_requests_total counter
        heddle_requests_total{status="2xx",route="/a\"b\\c\nd"} 18446744073709551615
        heddle_requests_total{status="5xx",route=""} 0
        # HELP process_cpu_seconds_total CPU time.
        # TYPE process_cpu_seconds_total counter
        process_cpu_seconds_total 1.25
        # HELP heddle_level A level.
        # TYPE heddle_level gauge
        heddle_level -3
        # HELP heddle_wait_seconds Waits.
        # TYPE heddle_wait_seconds histogram
        heddle_wait_seconds_bucket{lock="demo",le="5e-05"} 1
        heddle_wait_seconds_bucket{lock="demo",le="0.5"} 3
        heddle_wait_seconds_bucket{lock="demo",le="1"} 3
        heddle_wait_seconds_bucket{lock="demo",le="2500000"} 3
        heddle_wait_seconds_bucket{lock="demo",le="+Inf"} 6
        heddle_wait_seconds_sum{lock="demo"} 12.5
        heddle_wait_seconds_count{lock="demo"} 6
        heddle_wait_seconds_bucket{le="1"} 0
        heddle_wait_seconds_bucket{le="+Inf"} 0
        heddle_wait_seconds_sum 0
        heddle_wait_seconds_count 0

        """#)
  }

  @Test func openMetricsText() {
    let text = String(decoding: OpenMetricsEncoder.encode(Self.families), as: UTF8.self)
    #expect(
      text == #"""
        # TYPE heddle_requests counter
        # HELP heddle_requests Requests answered, by \"status\".\nAll of them: C:\\.
        heddle_requests_total{status="2xx",route="/a\"b\\c\nd"} 18446744073709551615
        heddle_requests_total{status="5xx",route=""} 0
        # TYPE process_cpu_seconds counter
        # UNIT process_cpu_seconds seconds
        # HELP process_cpu_seconds CPU time.
        process_cpu_seconds_total 1.25
        # TYPE heddle_level gauge
        # HELP heddle_level A level.
        heddle_level -3
        # TYPE heddle_wait_seconds histogram
        # UNIT heddle_wait_seconds seconds
        # HELP heddle_wait_seconds Waits.
        heddle_wait_seconds_bucket{lock="demo",le="5e-05"} 1
        heddle_wait_seconds_bucket{lock="demo",le="0.5"} 3
        heddle_wait_seconds_bucket{lock="demo",le="1.0"} 3
        heddle_wait_seconds_bucket{lock="demo",le="2.5e+06"} 3
        heddle_wait_seconds_bucket{lock="demo",le="+Inf"} 6
        heddle_wait_seconds_sum{lock="demo"} 12.5
        heddle_wait_seconds_count{lock="demo"} 6
        heddle_wait_seconds_bucket{le="1.0"} 0
        heddle_wait_seconds_bucket{le="+Inf"} 0
        heddle_wait_seconds_sum 0
        heddle_wait_seconds_count 0
        # EOF

        """#)
  }

  @Test func nothingIsNothingAndAnEndMark() {
    #expect(PrometheusEncoder.encode([]).isEmpty)
    #expect(OpenMetricsEncoder.encode([]) == Array("# EOF\n".utf8))
  }

  @Test(arguments: [
    (0.0, "0"), (-0.0, "-0.0"), (3.0, "3"), (-17.0, "-17"), (0.1, "0.1"), (1e-7, "1e-07"), (1e300, "1e+300"),
    (9_007_199_254_740_991, "9007199254740991"), (1.5e19, "1.5e+19"), (.infinity, "+Inf"),
    (-.infinity, "-Inf"),
    (.nan, "NaN"), (0.30000000000000004, "0.30000000000000004"),
  ])
  func numbersReadBackAsThemselves(_ number: Double, _ expected: String) {
    var text = MetricText()
    text.append(number)
    let written = String(decoding: text.bytes, as: UTF8.self)
    #expect(written == expected)
    if number.isFinite { #expect(Double(written) == number) }
  }

  @Test(arguments: [Int64.min, -1, 0, 9, 10, .max])
  func wholeNumbersAreWrittenInFull(_ number: Int64) {
    var text = MetricText()
    text.append(number)
    #expect(String(decoding: text.bytes, as: UTF8.self) == String(number))
  }

  @Test(arguments: [
    (1.0, "1.0"), (10.0, "10.0"), (0.00005, "5e-05"), (1e5, "100000.0"), (1e6, "1e+06"), (1.25e7, "1.25e+07"),
    (1e12, "1e+12"), (1_234_567.5, "1.2345675e+06"), (1e17, "1e+17"), (.infinity, "+Inf"),
  ])
  func boundsAreCanonical(_ bound: Double, _ expected: String) {
    #expect(OpenMetricsEncoder.canonicalBound(bound) == expected)
  }
}
