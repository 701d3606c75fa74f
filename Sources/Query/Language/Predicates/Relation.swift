import HoldfastText

/// The operator of a comparison, and how it compares texts.
package struct Relation: Hashable, Sendable {
    package var comparison: ComparisonOperator
    /// Whether strings are compared after simple case folding.
    package var ignoresCase: Bool
    /// Whether strings are compared without their accents.
    package var ignoresAccents: Bool

    package init(
        _ comparison: ComparisonOperator, ignoresCase: Bool = false, ignoresAccents: Bool = false
    ) {
        self.comparison = comparison
        self.ignoresCase = ignoresCase
        self.ignoresAccents = ignoresAccents
    }

    /// Whether strings are compared in another form than they have.
    var folds: Bool { ignoresCase || ignoresAccents }

    /// The operator as it is written, with its options.
    var name: String {
        let flags = (ignoresCase ? "c" : "") + (ignoresAccents ? "d" : "")
        return comparison.rawValue + (flags.isEmpty ? "" : "[\(flags)]")
    }
}

extension Relation {
    /// Compiles a regular expression, without its accents if they do not count.
    ///
    /// - `mayContinue`: Returns whether a test may continue.
    func pattern(
        _ text: String, _ mayContinue: @escaping () -> Bool = { true }
    ) throws(TextPattern.Fault) -> TextPattern {
        var text = text
        if ignoresAccents {
            let folder = TextFolder(ignoresCase: false)
            text = text.withUTF8 {
                String(decoding: folder.fold(UnsafeRawBufferPointer($0)), as: UTF8.self)
            }
        }
        return try TextPattern(text, ignoresCase: ignoresCase, mayContinue: mayContinue)
    }
}
