/// The admission of work, such as a request, for as long as a token allows it. Several pieces of work share one; each
/// looks at it and ends itself when the grant has ended. Thread-safe.
package protocol AccessGrant: AnyObject, Sendable {
    /// Makes a grant that holds.
    ///
    /// - `token`: The token that it is of; nil where none is needed.
    init(of token: Token?)

    /// Ends it.
    func end(_ reason: AccessEnd)
}

/// Why a grant has ended.
package enum AccessEnd: Sendable {
    /// The token is not known any more.
    case revoked
    /// The token may not do this any more.
    case lowered
}
