/// Which origins browsers may let use the service (the Fetch standard's CORS protocol).
package struct CORSPolicy: Sendable {
    /// Such as `https://app.example.org`, compared as they stand; `*` allows every origin.
    package let origins: [String]
    /// How long a browser may keep the answer to a preflight.
    package let maxAgeSeconds: Int

    /// An empty list switches CORS off.
    package init(origins: [String] = [], maxAgeSeconds: Int = 7200) {
        self.origins = origins
        self.maxAgeSeconds = maxAgeSeconds
    }

    var isOff: Bool { origins.isEmpty }
    var allowsAll: Bool { origins.contains("*") }

    func allows(_ origin: RequestText) -> Bool {
        allowsAll || origins.contains { $0 == origin.string }
    }

    static let exposed: StaticString =
        "ETag, Location, Link, Holdfast-Version, Retry-After, X-Request-Id"

    /// Adds what an allowed origin needs to read a reply.
    func addFields(for origin: RequestText?, to headers: inout Headers) {
        guard !isOff, let origin, allows(origin) else { return }
        if allowsAll {
            headers.add(.accessControlAllowOrigin, "*" as StaticString)
        } else {
            headers.add(.accessControlAllowOrigin, origin.bytes)
        }
        headers.add(.accessControlExposeHeaders, CORSPolicy.exposed)
    }
}
