import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore

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
                    "If-None-Match of a write can only be '*': write if the object is not there.")
            }
            guard match == nil else {
                throw .header(
                    "If-Match",
                    "If-Match and 'If-None-Match: *' ask for an object that is there and is not.")
            }
            self = .absent
            return
        }
        self.init(match, takingWeak: false)
    }

    /// The condition of a write of something whose tags are versions with a suffix, so that no object's tag equals them.
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

    /// The condition of tags: none, any version, or those of a list, of which those are left out that no object
    /// can have.
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
