// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target: Swift 6 mode, the upcoming features that we rely on, and no warnings.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

/// The modules, lowest first. A target may depend only on those above it in this list (docs/architecture.md).
let package = Package(
  name: "Heddle",
  products: [
    .library(name: "Heddle", targets: ["Heddle"]),
    .executable(name: "heddle", targets: ["HeddleCommand"]),
  ],
  targets: [
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .target(name: "CPlatform"),
    .target(name: "CWebAssets"),
    .target(name: "Interleavings", dependencies: ["CPlatform"], swiftSettings: settings),
    .target(name: "HTTPMessages", swiftSettings: settings),
    .target(name: "Locks", dependencies: ["CPlatform"], swiftSettings: settings),
    .target(name: "Metrics", dependencies: ["Locks"], swiftSettings: settings),
    .target(
      name: "RunLoops", dependencies: ["CPlatform", "Interleavings", "Locks"], swiftSettings: settings),
    .target(
      name: "WorkerPool", dependencies: ["CPlatform", "Interleavings", "Locks", "Metrics", "RunLoops"],
      swiftSettings: settings),
    .target(
      name: "HTTPServer",
      dependencies: [
        "CMicroHTTPD", "CPlatform", "HTTPMessages", "Interleavings", "Locks", "Metrics", "RunLoops", "WorkerPool",
      ],
      swiftSettings: settings),
    .target(
      name: "Introspection",
      dependencies: ["CPlatform", "HTTPMessages", "Locks", "Metrics", "RunLoops", "WorkerPool"],
      swiftSettings: settings),
    .target(
      name: "Heddle",
      dependencies: [
        "CWebAssets", "HTTPMessages", "HTTPServer", "Introspection", "Locks", "Metrics", "RunLoops",
        "WorkerPool",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "HeddleCommand", dependencies: ["CPlatform", "Heddle"], swiftSettings: settings),

    .target(
      name: "TestSupport", dependencies: ["Locks", "RunLoops"], path: "Tests/TestSupport", swiftSettings: settings),
    .testTarget(name: "LocksTests", dependencies: ["Locks"], swiftSettings: settings),
    .testTarget(name: "MetricsTests", dependencies: ["Metrics"], swiftSettings: settings),
    .testTarget(
      name: "RunLoopsTests", dependencies: ["CPlatform", "Locks", "RunLoops"], swiftSettings: settings),
    .testTarget(name: "HTTPMessagesTests", dependencies: ["HTTPMessages"], swiftSettings: settings),
    .testTarget(
      name: "WorkerPoolTests", dependencies: ["CPlatform", "Locks", "Metrics", "RunLoops", "WorkerPool"],
      swiftSettings: settings),
    .testTarget(
      name: "InterleavingTests",
      dependencies: [
        "CPlatform", "HTTPMessages", "HTTPServer", "Interleavings", "Locks", "Metrics", "RunLoops", "WorkerPool",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "HTTPServerTests", dependencies: ["CPlatform", "HTTPServer"], swiftSettings: settings),
    .testTarget(
      name: "HeddleCommandTests", dependencies: ["HeddleCommand"], swiftSettings: settings),
    .testTarget(
      name: "IntegrationTests",
      dependencies: ["Heddle", "HeddleCommand", "HTTPServer", "Metrics", "TestSupport", "WorkerPool"],
      swiftSettings: settings),
    .testTarget(
      name: "StressTests", dependencies: ["Heddle", "HTTPServer", "Metrics", "TestSupport", "WorkerPool"],
      swiftSettings: settings),
  ]
)
