/// A media type, and whether text of that type gets smaller by compression.
package struct ContentType: Sendable {
    /// The field's value, such as `"application/json"`.
    package let text: StaticString
    /// Whether replies of this type are offered gzip.
    package let isCompressible: Bool

    /// A type that is not listed here.
    package init(_ text: StaticString, isCompressible: Bool) {
        self.text = text
        self.isCompressible = isCompressible
    }

    package static let json = ContentType("application/json", isCompressible: true)
    package static let problem = ContentType("application/problem+json", isCompressible: true)
    package static let ndjson = ContentType("application/x-ndjson", isCompressible: true)
    package static let geoJSON = ContentType("application/geo+json", isCompressible: true)
    package static let csv = ContentType("text/csv; charset=utf-8", isCompressible: true)
    package static let text = ContentType("text/plain; charset=utf-8", isCompressible: true)
    /// The text format of Prometheus.
    package static let metrics = ContentType(
        "text/plain; version=0.0.4; charset=utf-8", isCompressible: true)
    package static let eventStream = ContentType("text/event-stream", isCompressible: false)
    package static let bytes = ContentType("application/octet-stream", isCompressible: false)
}
