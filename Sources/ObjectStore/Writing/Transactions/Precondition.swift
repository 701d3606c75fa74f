/// The state of an object that a write requires.
package enum Precondition: Sendable, Equatable {
    case none
    /// The object exists and its version is one of these; `If-Match` with ETags.
    case matches([StoreVersion])
    /// The object exists; `If-Match: *`.
    case exists
    /// The object does not exist; `If-None-Match: *`.
    case absent

    /// Whether it holds of an object that has a version; nil for one that is not there.
    package func holds(of version: StoreVersion?) -> Bool {
        switch self {
        case .none: true
        case .matches(let versions): version.map { versions.contains($0) } ?? false
        case .exists: version != nil
        case .absent: version == nil
        }
    }

    /// Whether a client that names these versions knows the state that a view shows, from one of them.
    ///
    /// The visible state of a version depends on the rules and on other objects, and differs between users; `*` is any state.
    package func knows(_ version: StoreVersion, in read: ReadTransaction) -> Bool {
        switch self {
        case .none, .absent: false
        case .exists: true
        case .matches: !read.showsPart && holds(of: version)
        }
    }
}
