import HoldfastObjectModel

/// The user's value where a rule asks for it.
package enum UserValue: Hashable, Sendable {
    /// One value; texts may stand for dates, uuids and other types whose JSON form is a text.
    case one(Value)
    /// The values of a list.
    case many([Value])

    /// The most values of a list. Who has more has none, as far as rules go.
    package static let countMax = 10_000
}
