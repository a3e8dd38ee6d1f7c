import CWebAssets
import HTTPMessages

/// The pages that are compiled into the library from the folder `public/`.
enum Dashboard {
  /// One route for each file, and `/` for the first page. Inline: they are in memory, and are wanted when all else is stuck.
  static func addRoutes(to router: inout Router) {
    for asset in assets {
      let response = page(asset)
      let options = RouteOptions(isInline: true)
      router.addIfFree(.get, asset.path, options: options) { _ in Response(shared: response) }
      if asset.path == "/index.html" {
        router.addIfFree(.get, "/", options: options) { _ in Response(shared: response) }
      }
    }
  }

  struct Asset {
    var path: String
    var bytes: [UInt8]
  }

  /// The files.
  static var assets: [Asset] {
    var count = 0
    let first = heddle_web_assets(&count)
    return UnsafeBufferPointer(start: first, count: count).map { asset in
      Asset(
        path: String(cString: asset.path),
        bytes: Array(UnsafeBufferPointer(start: asset.bytes, count: asset.length)))
    }
  }

  private static func page(_ asset: Asset) -> SharedResponse {
    let ending = asset.path.split(separator: ".").last.map(String.init) ?? ""
    var response = Response.bytes(asset.bytes, type: MediaType.forFile(extension: ending))
    // Our own pages need nothing from elsewhere and run no inline script.
    response.headers["Content-Security-Policy"] =
      "default-src 'self'; style-src 'self'; script-src 'self'; frame-ancestors 'none'; base-uri 'none'"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-cache"
    return SharedResponse(response)
  }
}
