import HoldfastHTTPServer

extension ContentType {
    /// The type of a file by the ending of its name; bytes without a meaning for an ending that is not listed.
    init(ofFile name: String) {
        let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
        self = ending.flatMap { Self.byEnding[$0] } ?? .bytes
    }

    /// The types that pages consist of.
    private static let byEnding: [String: ContentType] = {
        let texts: [(String, StaticString)] = [
            ("html", "text/html; charset=utf-8"), ("htm", "text/html; charset=utf-8"),
            ("css", "text/css; charset=utf-8"), ("js", "text/javascript; charset=utf-8"),
            ("mjs", "text/javascript; charset=utf-8"), ("json", "application/json"),
            ("map", "application/json"), ("webmanifest", "application/manifest+json"),
            ("geojson", "application/geo+json"), ("svg", "image/svg+xml"),
            ("txt", "text/plain; charset=utf-8"), ("ts", "text/plain; charset=utf-8"),
            ("yaml", "application/yaml"), ("md", "text/markdown; charset=utf-8"),
            ("csv", "text/csv; charset=utf-8"), ("xml", "application/xml"),
            ("wasm", "application/wasm"), ("ttf", "font/ttf"), ("otf", "font/otf"),
        ]
        let packed: [(String, StaticString)] = [
            ("png", "image/png"), ("jpg", "image/jpeg"), ("jpeg", "image/jpeg"),
            ("gif", "image/gif"), ("webp", "image/webp"), ("avif", "image/avif"),
            ("ico", "image/vnd.microsoft.icon"), ("woff", "font/woff"), ("woff2", "font/woff2"),
            ("mp3", "audio/mpeg"), ("ogg", "audio/ogg"), ("m4a", "audio/mp4"),
            ("mp4", "video/mp4"), ("webm", "video/webm"), ("pdf", "application/pdf"),
            ("zip", "application/zip"), ("gz", "application/gzip"),
        ]
        var types: [String: ContentType] = [:]
        for (ending, text) in texts { types[ending] = ContentType(text, isCompressible: true) }
        for (ending, text) in packed { types[ending] = ContentType(text, isCompressible: false) }
        return types
    }()
}
