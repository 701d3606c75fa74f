import HoldfastObjectModel

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
