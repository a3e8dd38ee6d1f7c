import FoundationEssentials
import Testing

@testable import Heddle

/// The dashboard: what is compiled in is what lies in `public/`, and a browser can use it as it is served.
@Suite struct WebAssetsTests {
  /// `public/`, found from this file, which is two folders below the package's own.
  private static let folder =
    (#filePath.split(separator: "/").dropLast(3) + ["public"]).reduce(into: "") { $0 += "/" + $1 }

  /// The files of `public/` by the path they are served at. Hidden ones, such as an editor leaves, do not count.
  private static func filesOfFolder() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      var isFolder = false
      let isFound = FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder)
      guard isFound, !isFolder, !name.split(separator: "/").contains(where: { $0.hasPrefix(".") }) else { continue }
      files["/" + name] = [UInt8](try Data(contentsOf: URL(filePath: folder + "/" + name)))
    }
    return files
  }

  @Test func compiledInIsWhatTheFolderHolds() throws {
    let files = try Self.filesOfFolder()
    let assets = Dashboard.assets
    #expect(assets.map(\.path).sorted() == files.keys.sorted(), "rows in Sources/CWebAssets/assets.c, files in public/")
    for asset in assets {
      // Compared outside the macro, which would print thousands of numbers.
      let isSame = asset.bytes == files[asset.path]
      #expect(isSame, "\(asset.path) is not as in public/: build again")
    }
  }

  @Test func theWholeIsSmall() {
    let size = Dashboard.assets.reduce(0) { $0 + $1.bytes.count }
    #expect(size > 0)
    #expect(size < 40_000, "the page is loaded from servers in trouble")
  }

  @Test func everyFileIsServedAsABrowserNeedsIt() throws {
    let types = [
      "html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml",
    ]
    try TestServer().run { server in
      for asset in Dashboard.assets {
        let reply = try server.get(asset.path)
        #expect(reply.status == 200, "\(asset.path)")
        #expect(reply.body == asset.bytes, "\(asset.path)")
        // A browser runs no script and takes no style of another type, since sniffing is off.
        let type = try #require(asset.path.split(separator: ".").last.flatMap { types[String($0)] }, "\(asset.path)")
        #expect(reply["Content-Type"]?.hasPrefix(type) == true, "\(asset.path): \(reply["Content-Type"] ?? "no type")")
        #expect(reply["X-Content-Type-Options"] == "nosniff")
        #expect(reply["Content-Security-Policy"]?.hasPrefix("default-src 'self';") == true)
      }
      let first = try server.get("/")
      #expect(first.body == Dashboard.assets.first { $0.path == "/index.html" }?.bytes)
    }
  }

  @Test func everyLinkOfThePageIsAnswered() throws {
    let page = try Self.text("/index.html")
    let targets = Self.values(of: "href", in: page) + Self.values(of: "src", in: page)
    #expect(targets.contains("app.js") && targets.contains("metrics"), "\(targets)")
    try TestServer().run { server in
      for target in targets {
        // Relative, so that the page works behind a proxy's prefix; and so nothing comes from elsewhere.
        #expect(!target.hasPrefix("/") && !target.contains(":"), "\(target)")
        let status = try server.get("/" + target).status
        #expect(status == 200, "\(target)")
      }
    }
  }

  @Test func thePageKeepsItsOwnSecurityPolicy() throws {
    let page = try Self.text("/index.html")
    #expect(!page.contains("<style") && !page.contains(" style="), "the policy allows no style in the page")
    #expect(page.count(of: "<script") == 1 && page.contains("<script src="), "the policy allows no script in the page")
    let script = try Self.text("/app.js")
    for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
      let isUsed = script.contains(way)
      #expect(!isUsed, "what a server says is text, never markup or code: \(way)")
    }
  }

  private static func text(_ path: String) throws -> String {
    String(decoding: try #require(Dashboard.assets.first { $0.path == path }).bytes, as: UTF8.self)
  }

  /// The values of an attribute, wherever it stands.
  private static func values(of attribute: String, in page: String) -> [String] {
    page.pieces(behind: " \(attribute)=\"").map { String($0.prefix { $0 != "\"" }) }
  }
}

extension String {
  /// How often a text occurs.
  fileprivate func count(of text: String) -> Int { pieces(behind: text).count }

  /// What follows each place where a text occurs.
  fileprivate func pieces(behind text: String) -> [Substring] {
    var pieces: [Substring] = []
    var rest = self[...]
    while let range = rest.firstRange(of: text) {
      rest = rest[range.upperBound...]
      pieces.append(rest)
    }
    return pieces
  }
}
