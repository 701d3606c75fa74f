import HoldfastObjectModel

/// The value of a `$n` in a query.
package struct QueryArgument: Hashable, Sendable {
    /// The value; a list where the query expects one.
    package var value: Value
    /// Whether strings in it came as plain text (a JSON string, a `text=` parameter) and so may stand
    /// for a date, a UUID, an object identifier or data, in that type's JSON form.
    package var isPlainText: Bool
    /// Whether decimals in it came as whole numbers that do not fit into 64 bits, and so stand for the nearest
    /// double beside a double.
    package var hasLargeIntegers: Bool
    /// Whether it is a region. A point can be `IN` a region, with the same meaning as `geoWithin`.
    package var isRegion: Bool

    /// Bytes of memory that a value of a list takes while a query is checked, planned and run, at most, without its text.
    package static let byteCountOfValue = 512

    package init(
        _ value: Value, isPlainText: Bool = false, hasLargeIntegers: Bool = false,
        isRegion: Bool = false
    ) {
        self.value = value
        self.isPlainText = isPlainText
        self.hasLargeIntegers = hasLargeIntegers
        self.isRegion = isRegion
    }

    package init(text: String) { self.init(.string(text), isPlainText: true) }
}
