/// The facts about a user whom rules are made for.
package protocol UserFacts {
    /// The user's value where a rule asks for it; nil for none.
    func value(of reference: UserReference) -> UserValue?
}
