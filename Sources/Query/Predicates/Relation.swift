/// The operator of a comparison, and how it compares texts.
package struct Relation: Hashable, Sendable {
    /// The operator.
    package var comparison: ComparisonOperator
    /// Whether strings are compared after simple case folding.
    package var ignoresCase: Bool
    /// Whether strings are compared without their accents.
    package var ignoresAccents: Bool

    /// Makes a relation.
    package init(
        _ comparison: ComparisonOperator, ignoresCase: Bool = false, ignoresAccents: Bool = false
    ) {
        self.comparison = comparison
        self.ignoresCase = ignoresCase
        self.ignoresAccents = ignoresAccents
    }

    /// Whether strings are compared in another form than they have.
    var folds: Bool { ignoresCase || ignoresAccents }

    /// The operator as it is written, with what stands behind it.
    var name: String {
        let flags = (ignoresCase ? "c" : "") + (ignoresAccents ? "d" : "")
        return comparison.rawValue + (flags.isEmpty ? "" : "[\(flags)]")
    }
}
