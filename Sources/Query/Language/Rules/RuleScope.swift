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
