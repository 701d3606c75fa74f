import HoldfastQuery

/// A condition on objects, checked for a class.
struct CompiledCondition: Sendable {
    /// The filter; nil where any object is admitted.
    let rule: Rule?

    /// The condition for a user.
    func predicate(for user: some UserFacts) -> Predicate {
        rule?.predicate(for: user) ?? .constant(true)
    }

    /// The text in the document.
    var text: String { rule?.text ?? "true" }
}
