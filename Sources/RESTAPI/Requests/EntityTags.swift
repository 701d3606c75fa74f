import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore

/// The value of `If-Match` or `If-None-Match` (RFC 9110, section 13.1).
package enum EntityTags: Equatable, Sendable {
    case any
    case list([Tag])

    /// One tag.
    package struct Tag: Equatable, Sendable {
        /// The text between its quotes.
        package var text: String
        /// Whether it is written `W/"…"`, which `If-Match` never accepts.
        package var isWeak: Bool
    }

    /// Reads a header; nil if the request does not have it.
    ///
    /// - Throws: ``RequestFault`` `.malformed` when it is not a list of entity tags.
    package static func read(_ name: HeaderName, of request: Request) throws(RequestFault)
        -> EntityTags?
    {
        guard let field = request.header(name) else { return nil }
        // A list may stand in several fields of the same name (RFC 9110, section 5.3).
        let fields = request.headers(name)
        let text = fields.count > 1 ? fields.map(\.string).joined(separator: ",") : field.string
        guard let tags = EntityTags(text) else {
            let detail =
                "\(name.text) takes '*' or entity tags with their quotes, such as \"0k3x9a1b-17\"."
            throw .header(name.text, detail)
        }
        return tags
    }

    /// Reads the text of a header; nil when it is malformed.
    package init?(_ text: String) {
        var rest = Substring(text).utf8[...]
        func skipBlanks() {
            while let byte = rest.first, byte == 0x20 || byte == 0x09 { rest.removeFirst() }
        }
        skipBlanks()
        if rest.first == UInt8(ascii: "*") {
            rest.removeFirst()
            skipBlanks()
            guard rest.isEmpty else { return nil }
            self = .any
            return
        }
        var tags: [Tag] = []
        while true {
            skipBlanks()
            if rest.first == UInt8(ascii: ",") {
                rest.removeFirst()
                continue
            }
            guard !rest.isEmpty else { break }
            var isWeak = false
            if rest.starts(with: "W/".utf8) {
                isWeak = true
                rest.removeFirst(2)
            }
            guard rest.first == UInt8(ascii: "\"") else { return nil }
            rest.removeFirst()
            guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
            tags.append(
                Tag(text: String(decoding: Array(rest[..<end]), as: UTF8.self), isWeak: isWeak))
            rest = rest[end...].dropFirst()
            skipBlanks()
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
        }
        guard !tags.isEmpty else { return nil }
        self = .list(tags)
    }

    /// Whether a tag, given without quotes, is in the list by the weak comparison, which `If-None-Match` uses.
    package func matchesWeakly(_ text: String) -> Bool {
        switch self {
        case .any: true
        case .list(let tags): tags.contains { $0.text == text }
        }
    }
}

extension Request {
    /// Whether the client has the version with a tag, given without quotes. A malformed `If-None-Match` is ignored.
    func has(_ tag: String) -> Bool {
        (try? EntityTags.read(.ifNoneMatch, of: self))?.matchesWeakly(tag) ?? false
    }
}

extension Precondition {
    /// The condition of `If-Match` and `If-None-Match` of a write.
    ///
    /// - Throws: ``RequestFault`` `.malformed` when they are malformed, contradict each other, or `If-None-Match` is
    ///   anything but `*`.
    package init(_ request: Request) throws(RequestFault) {
        let match = try EntityTags.read(.ifMatch, of: request)
        let noneMatch = try EntityTags.read(.ifNoneMatch, of: request)
        if let noneMatch {
            guard case .any = noneMatch else {
                throw .header(
                    "If-None-Match",
                    "If-None-Match of a write can only be '*': write if the object does not exist.")
            }
            guard match == nil else {
                throw .header(
                    "If-Match",
                    "If-Match needs an existing object and 'If-None-Match: *' none; send one of them."
                )
            }
            self = .absent
            return
        }
        self.init(match, takingWeak: false)
    }

    /// The condition of a write of something with tags that are versions with a suffix, so that no object's tag equals them.
    ///
    /// - Throws: ``RequestFault`` as ``init(_:)``.
    init(_ request: Request, tagged suffix: String) throws(RequestFault) {
        self = try Precondition(request)
        guard case .list(let tags) = try EntityTags.read(.ifMatch, of: request) else { return }
        self = .matches(
            tags.compactMap { tag in
                guard !tag.isWeak, tag.text.hasSuffix(suffix) else { return nil }
                return StoreVersion(text: tag.text.dropLast(suffix.count))
            })
    }

    /// The condition of tags: none, any version, or the versions of a list without the ones that no object can have.
    package init(_ tags: EntityTags?, takingWeak: Bool) {
        switch tags {
        case nil: self = .none
        case .any: self = .exists
        case .list(let tags):
            self = .matches(
                tags.compactMap { $0.isWeak && !takingWeak ? nil : StoreVersion(text: $0.text) })
        }
    }
}
