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
        guard let property else {
            let new = renames.newName(ofClass: className)
            return new == className ? nil : new
        }
        let new = renames.newName(ofProperty: property, inOld: className)
        return new == property ? nil : new
    }
}
