/// The origins whose pages may use the service from a browser (the Fetch standard's CORS protocol).
package struct CORSPolicy: Sendable {
    /// Origins such as `https://app.example.org`, compared as text; `*` allows every origin.
    package let origins: [String]
    /// Seconds for which a browser may keep the answer to a preflight.
    static let maxAgeSeconds: StaticString = "7200"
    /// Whether pages of all origins may send a request and read its reply, for example because the request carries a secret that
    /// only its sender knows. Called if ``origins`` is empty.
    package var admitsAll: @Sendable (Request) -> Bool = { _ in false }

    /// Creates a policy for pages of some origins.
    package init(origins: [String] = []) { self.origins = origins }

    /// Whether `text` is `*`, or a browser could send it as its `Origin` (RFC 6454, section 6.2). Other texts, such as a host
    /// without a scheme or an address with a path, would never match.
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
                $0 > 0x20 && $0 < 0x7F && !"/?#@,*".utf8.contains($0) && !(0x41...0x5A).contains($0)
            }
    }

    private var allowsAll: Bool { origins.contains("*") }

    /// Whether replies differ by the requesting origin.
    var variesByOrigin: Bool { !origins.isEmpty && !allowsAll }

    static let exposed: StaticString =
        "ETag, Location, Link, Holdfast-Snapshot, Holdfast-Version, Idempotency-Replayed, Preference-Applied, Retry-After, X-Request-Id"

    /// The permissions of a page that sends a request.
    enum Verdict {
        /// It may read the reply, as pages of all origins may.
        case all
        /// It may read the reply.
        case own
        /// It may not read the reply.
        case none
    }

    package func names(_ origin: RequestText) -> Bool {
        allowsAll || origins.contains { $0 == origin.string }
    }

    /// Decides on the page that sends a request.
    func verdict(on request: Request, from origin: RequestText) -> Verdict {
        if origins.isEmpty { return admitsAll(request) ? .all : .none }
        guard names(origin) else { return .none }
        return allowsAll ? .all : .own
    }
}
