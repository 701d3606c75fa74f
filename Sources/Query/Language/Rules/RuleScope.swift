import HoldfastObjectModel

/// The checker's knowledge of a rule's user, with its findings on the way. One thread uses it.
final class RuleScope {
    /// The class of the users' objects, by position in the schema; nil where users have none.
    let usersClass: Int?
    /// The user whom the rule is made for; nil where it is only checked, and samples stand for what users have.
    let facts: (any UserFacts)?
    /// The values of its user that the rule asks for, each once.
    private(set) var references: [UserReference] = []
    /// The names of properties and classes in the text.
    private(set) var names: Set<RuleName> = []
    /// The places of the text that ask for values of the user, if the rule is only checked.
    private(set) var places: [UserPlace] = []
    /// Whether the user lacks something that the rule names.
    var isLacking = false

    init(usersClass: Int?, facts: (any UserFacts)?) {
        self.usersClass = usersClass
        self.facts = facts
    }

    /// Notes that the rule asks for a value of the user, at a range of its text.
    func note(_ reference: UserReference, at range: Range<Int>) {
        if !references.contains(reference) { references.append(reference) }
        if facts == nil { places.append(UserPlace(reference: reference, range: range)) }
    }

    /// Notes a name that begins at an offset of the text.
    ///
    /// - `property`: The property; nil for the class itself.
    func note(_ className: String, _ property: String?, at start: Int) {
        names.insert(RuleName(start: start, className: className, property: property))
    }
}

/// The facts about a user whom rules are made for.
package protocol UserFacts {
    /// The user's value where a rule asks for it; nil for none.
    func value(of reference: UserReference) -> UserValue?
}

/// The user's value where a rule asks for it.
package enum UserValue: Hashable, Sendable {
    /// One value; texts may stand for dates, uuids and other types whose JSON form is a text.
    case one(Value)
    /// The values of a list.
    case many([Value])

    /// The most values of a list. Who has more has none, as far as rules go.
    package static let countMax = 10_000
}

/// A name of a class or of a property in the text of a rule.
struct RuleName: Hashable, Sendable {
    /// The offset of its first byte.
    let start: Int
    /// The class.
    let className: String
    /// The property; nil where the class itself is named.
    let property: String?

    /// The name that it has in a schema that replaces the present one; nil for the same.
    func renamed(_ renames: SchemaRenames) -> String? {
        let new =
            property.map { renames.newName(ofProperty: $0, inOld: className) }
            ?? renames.newName(ofClass: className)
        return new == (property ?? className) ? nil : new
    }
}
