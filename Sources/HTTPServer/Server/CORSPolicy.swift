/// The origins whose pages may use the service from a browser (the Fetch standard's CORS protocol).
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

    /// Whether a browser could send `text` as its `Origin` (RFC 6454, section 6.2), or it is `*`. Others, such as a
    /// host without a scheme or an address with a path, would never match.
    package static func isOrigin(_ text: String) -> Bool {
        if text == "*" { return true }
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let first = parts[0].utf8.first, (0x61...0x7A).contains(first),
            !parts[1].isEmpty
        else { return false }
        return parts[0].utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2B || $0 == 0x2D
                || $0 == 0x2E
        }
            && parts[1].utf8.allSatisfy {
                $0 > 0x20 && $0 < 0x7F && !"/?#@,*".utf8.contains($0)
                    && !(0x41...0x5A).contains($0)
            }
    }

    var isOff: Bool { origins.isEmpty }
    var allowsAll: Bool { origins.contains("*") }

    func allows(_ origin: RequestText) -> Bool {
        allowsAll || origins.contains { $0 == origin.string }
    }

    static let exposed: StaticString =
        "ETag, Location, Link, Holdfast-Snapshot, Holdfast-Version, Idempotency-Replayed, Preference-Applied, Retry-After, X-Request-Id"

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
