/// The admission of work, such as a request, for as long as a token allows it. Several pieces of work share one; each
/// looks at it and ends itself when the grant has ended. Thread-safe.
package protocol AccessGrant: AnyObject, Sendable {
    /// Makes a grant that holds.
    ///
    /// - `isForReading`: Whether it is for reading alone.
    /// - `owner`: The number of the token that it is of; 0 where none is needed.
    /// - `isUnderRules`: Whether the token is a user's.
    init(isForReading: Bool, owner: UInt64, isUnderRules: Bool)

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
