import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService
import HoldfastText

// The query parameters of a request, each known and there at most once, since ``Operation`` has checked them. Their
// texts point into the request.
extension Request {
    /// Checks the parameters.
    ///
    /// - Parameters:
    ///   - known: The names that the operation knows.
    ///   - repeatable: Names among them that may stand more than once.
    /// - Throws: ``RequestFault`` `.malformed` for one that it does not know, with the nearest that it does, or that
    ///   stands more than once.
    func checkParameters(
        known: [StaticString], repeatable: [StaticString] = []
    ) throws(RequestFault) {
        for (index, (name, _)) in query.enumerated() {
            guard known.contains(where: { name == $0 }) else {
                throw Self.unknown(name.string, known)
            }
            guard !repeatable.contains(where: { name == $0 }) else { continue }
            let before = query[..<index]
            if before.contains(where: { $0.name.bytes.elementsEqual(name.bytes) }) {
                throw .parameter(
                    name.string, "The parameter '\(name.string)' occurs more than once.")
            }
        }
    }

    private static func unknown(_ name: String, _ known: [StaticString]) -> RequestFault {
        let shown = RequestFault.shown(name)
        let names = known.map(\.description)
        let other = ForeignParameter.counterpart(of: name, among: names)
        let advice =
            if let other {
                "'\(other.name)' \(other.use)"
            } else if name.lowercased().hasSuffix("token"), names.contains("ticket") {
                "a client that can't send headers gets a 'ticket' for the URL from POST /v1/tickets"
            } else if name.lowercased().hasSuffix("format"), names.contains("fields") {
                "the header 'Accept' chooses it, such as Accept: text/csv with fields=id,name"
            } else {
                "it has \(names.joined(separator: ", "))"
            }
        let detail =
            known.isEmpty
            ? "This operation has no parameters; '\(shown)' is not known."
            : "This operation has no parameter '\(shown)'; \(advice)."
        return .single(
            .malformed, "unknown-parameter", detail, parameter: shown,
            hint: other?.name ?? NearestName.of(name, among: names))
    }

    /// The value of a parameter; nil when it is not there.
    subscript(query name: StaticString) -> RequestText? {
        guard hasQuery else { return nil }
        for (known, value) in query where known == name { return value }
        return nil
    }

    /// A parameter that is `true` or `false`; false when it is not there.
    func flag(_ name: StaticString) throws(RequestFault) -> Bool {
        guard let value = self[query: name] else { return false }
        if value == "true" { return true }
        if value == "false" { return false }
        throw .parameter(name.description, "'\(name)' is true or false.")
    }

    /// A whole number from 0 up; nil when it is not there.
    func count(_ name: StaticString) throws(RequestFault) -> Int? {
        guard let value = self[query: name] else { return nil }
        guard let number = value.decimal.flatMap({ Int(exactly: $0) }) else {
            throw .parameter(name.description, "'\(name)' is a whole number from 0 up.")
        }
        return number
    }
}

extension Headers {
    /// Adds `ETag: "<epoch>-<n>"`.
    package mutating func addETag(_ version: StoreVersion) {
        version.withText(isQuoted: true) { add(.etag, $0) }
    }

    /// Adds `Holdfast-Version: <epoch>-<n>`.
    package mutating func addStoreVersion(_ version: StoreVersion) {
        version.withText(isQuoted: false) { add(.holdfastVersion, $0) }
    }
}

extension Response {
    /// The response with an `ETag`, given without its quotes.
    package func with(entityTag text: String) -> Response { with(.etag, "\"\(text)\"") }

    /// The response with a weak `ETag`: the same content may have other bytes, such as compressed ones.
    func with(weakTag text: String) -> Response { with(.etag, "W/\"\(text)\"") }

    /// The 304 for a client that has the version of `tag`; nil for others.
    ///
    /// - Throws: ``RequestFault`` `.malformed` when `If-None-Match` is.
    package static func notModified(
        _ request: Request, _ tag: String
    ) throws(RequestFault) -> Response? {
        guard let tags = try EntityTags.read(.ifNoneMatch, of: request), tags.matchesWeakly(tag)
        else { return nil }
        return Response(304).with(entityTag: tag)
    }
}

extension RequestFault {
    /// A malformed header, or one with a condition that does not hold.
    static func header(_ name: StaticString, _ detail: String) -> RequestFault {
        .single(.malformed, "invalid-header", detail, parameter: name.description)
    }
}
