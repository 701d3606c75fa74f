import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore

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
    /// The same with `ETag`, whose text is given without its quotes.
    package func with(entityTag text: String) -> Response { with(.etag, "\"\(text)\"") }

    /// The 304 for a client that has what `tag` stands for already; nil for others.
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
