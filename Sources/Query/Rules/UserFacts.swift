/// What is known of a user whom rules are made for.
package protocol UserFacts {
    /// What the user has where a rule asks for it; nil for nothing.
    func value(of reference: UserReference) -> UserValue?
}
