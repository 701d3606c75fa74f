import HoldfastObjectModel

/// The checker's knowledge of a rule's user, with its findings on the way. One thread uses it.
final class RuleScope {
    /// The class of the users' objects, by position in the schema; nil without one.
    let usersClass: Int?
    /// The user that the rule is made for; nil if it is only checked, with samples in place of users' values.
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

/// The facts about a user of rules.
package protocol UserFacts {
    /// The user's value for a reference of a rule; nil without one.
    func value(of reference: UserReference) -> UserValue?
}

/// The user's value where a rule asks for it.
package enum UserValue: Hashable, Sendable {
    /// One value; texts may stand for dates, uuids and other types with a text as their JSON form.
    case one(Value)
    /// The values of a list.
    case many([Value])

    /// The most values of a list. A longer list counts as empty in rules.
    package static let countMax = 10_000
}

/// A name of a class or of a property in the text of a rule.
struct RuleName: Hashable, Sendable {
    /// The offset of its first byte.
    let start: Int
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
