import ObjectModel

/// The value of a `$n` in a query.
package struct QueryArgument: Hashable, Sendable {
    /// The value; a list where the query expects one.
    package var value: Value
    /// Whether strings in it came as plain text (a JSON string, a `text=` parameter) and so may stand
    /// for a date, a UUID, an object identifier or data, in that type's JSON form.
    package var isPlainText: Bool

    /// Makes an argument.
    package init(_ value: Value, isPlainText: Bool = false) {
        self.value = value
        self.isPlainText = isPlainText
    }

    /// Makes an argument of plain text.
    package init(text: String) {
        self.init(.string(text), isPlainText: true)
    }
}
