extension MediaType {
  /// The media type of a file by the ending of its name, without the dot and in any case: `html`, `PNG`.
  ///
  /// Text types that are not UTF-8 by definition carry `charset=utf-8`. An unknown ending gives `octetStream`, which
  /// browsers save and never run. The table holds what IANA has registered (as Debian's `mime-support` does) for the
  /// kinds of file that web pages are made of.
  public static func forFile(extension name: String) -> MediaType {
    switch name.asciiLowercased {
    case "html", "htm": .html
    case "css": .css
    case "js", "mjs": .javascript
    case "json", "map": .json
    case "svg": .svg
    case "txt", "text", "log": .plainTextUTF8
    case let ending: MediaType.lessCommon(ending).map(MediaType.init(known:)) ?? .octetStream
    }
  }

  private static func lessCommon(_ ending: String) -> String? {
    switch ending {
    case "md", "markdown": "text/markdown; charset=utf-8"
    case "csv": "text/csv; charset=utf-8"
    case "ics": "text/calendar; charset=utf-8"
    case "xml", "xsl": "text/xml; charset=utf-8"
    case "vtt": "text/vtt; charset=utf-8"
    case "xhtml": "application/xhtml+xml"
    case "webmanifest": "application/manifest+json"
    case "jsonld": "application/ld+json"
    case "geojson": "application/geo+json"
    case "atom": "application/atom+xml"
    case "rss": "application/rss+xml"
    case "yaml", "yml": "application/yaml"
    case "toml": "application/toml"
    case "wasm": "application/wasm"
    case "pdf": "application/pdf"
    case "rtf": "application/rtf"
    case "epub": "application/epub+zip"
    case "zip": "application/zip"
    case "gz", "tgz": "application/gzip"
    case "zst": "application/zstd"
    case "bz2": "application/x-bzip2"
    case "xz": "application/x-xz"
    case "tar": "application/x-tar"
    case "7z": "application/x-7z-compressed"
    case "rar": "application/vnd.rar"
    case "jar": "application/java-archive"
    case "sqlite", "sqlite3": "application/vnd.sqlite3"
    case "doc": "application/msword"
    case "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    case "xls": "application/vnd.ms-excel"
    case "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    case "ppt": "application/vnd.ms-powerpoint"
    case "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation"
    case "odt": "application/vnd.oasis.opendocument.text"
    case "ods": "application/vnd.oasis.opendocument.spreadsheet"
    case "png": "image/png"
    case "apng": "image/apng"
    case "jpg", "jpeg": "image/jpeg"
    case "gif": "image/gif"
    case "webp": "image/webp"
    case "avif": "image/avif"
    case "bmp": "image/bmp"
    case "tif", "tiff": "image/tiff"
    case "ico": "image/vnd.microsoft.icon"
    case "mp3": "audio/mpeg"
    case "ogg", "oga", "opus": "audio/ogg"
    case "wav": "audio/wav"
    case "flac": "audio/flac"
    case "m4a": "audio/mp4"
    case "aac": "audio/aac"
    case "mid", "midi": "audio/midi"
    case "mp4", "m4v": "video/mp4"
    case "webm": "video/webm"
    case "ogv": "video/ogg"
    case "mov": "video/quicktime"
    case "avi": "video/x-msvideo"
    case "mkv": "video/x-matroska"
    case "mpeg", "mpg": "video/mpeg"
    case "woff": "font/woff"
    case "woff2": "font/woff2"
    case "ttf": "font/ttf"
    case "otf": "font/otf"
    default: nil
    }
  }
}
