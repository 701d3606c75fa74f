import HTTPServer
import ObjectJSON
import ObjectStore

extension Precondition {
    /// What `If-Match` and `If-None-Match` of a write ask for.
    ///
    /// - Throws: ``RequestFault`` `.malformed` when they are malformed, contradict each other, or `If-None-Match` is
    ///   anything but `*`.
    package init(_ request: Request) throws(RequestFault) {
        let match = try EntityTags.read(.ifMatch, of: request)
        let noneMatch = try EntityTags.read(.ifNoneMatch, of: request)
        if let noneMatch {
            guard case .any = noneMatch else {
                throw Self.refused(
                    "If-None-Match of a write can only be '*': write if the object is not there.",
                    "If-None-Match")
            }
            guard match == nil else {
                throw Self.refused(
                    "If-Match and 'If-None-Match: *' ask for an object that is there and is not.",
                    "If-Match")
            }
            self = .absent
            return
        }
        switch match {
        case nil: self = .none
        case .any: self = .exists
        case .list(let tags):
            // Weak tags match nothing here, nor do those that no object can have.
            self = .matches(tags.compactMap { $0.isWeak ? nil : StoreVersion(text: $0.text) })
        }
    }

    private static func refused(_ detail: String, _ header: String) -> RequestFault {
        RequestFault(
            .malformed, "invalid-header", detail,
            errors: [RequestFault.Entry(code: "invalid-header", detail: detail, parameter: header)])
    }

    /// The same with the `$version` that the body states, which has to hold as well.
    package func with(version: StoreVersion?) -> Precondition {
        guard let version else { return self }
        switch self {
        case .none, .exists: return .matches([version])
        case .matches(let versions): return .matches(versions.contains(version) ? [version] : [])
        // Nothing is absent and has a version.
        case .absent: return .matches([])
        }
    }
}
