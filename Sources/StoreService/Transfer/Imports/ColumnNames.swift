import HoldfastObjectModel

/// The names under which the members or columns of an import's text stand where they are not the class's own.
package struct ColumnNames: Sendable, Equatable {
    /// The property of each name that stands for one.
    package var properties: [ExactText: String] = [:]
    /// The names that are left out.
    package private(set) var skipped: Set<ExactText> = []

    /// Makes names that are the class's own.
    package init() {}

    /// Whether each name stands for itself.
    package var isEmpty: Bool { properties.isEmpty && skipped.isEmpty }

    /// Leaves a name out.
    package mutating func skip(_ name: String) { skipped.insert(name) }

    /// Adds `name=property`; false for a text of another form, and for a name that was added before.
    package mutating func map(_ text: some StringProtocol) -> Bool {
        guard let equals = text.lastIndex(of: "=") else { return false }
        let name = String(text[..<equals])
        let property = String(text[text.index(after: equals)...])
        guard !name.isEmpty, !property.isEmpty, properties[name] == nil else { return false }
        properties[name] = property
        return true
    }

    /// A name that both stands for a property and is left out, which is a contradiction; nil if no name does.
    package var contradiction: String? { skipped.texts.first { properties[$0] != nil } }

    /// The property that a name stands for; nil when it is left out.
    func property(_ name: String) -> String? {
        skipped.contains(name) ? nil : properties[name] ?? name
    }
}
