import HoldfastBytes
import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

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

    /// A document, or 304 for a client that has it: a hash of its text ends its tag.
    ///
    /// - `tag`: The rest of the tag.
    /// - Throws: ``RequestFault`` `.malformed` when `If-None-Match` is.
    static func hashed(
        _ request: Request, _ tag: String, _ write: (JSONWriter) -> Void
    ) throws(RequestFault) -> Response {
        let buffer = ByteBuffer(capacity: 4096)
        write(JSONWriter(buffer))
        let tag = tag + "-" + String(SipHash128.hash(buffer.bytes).high, radix: 36)
        return try notModified(request, tag)
            ?? Response(200, .json, Bytes(taking: buffer)).with(entityTag: tag)
    }
}
