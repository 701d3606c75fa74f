import HoldfastObjectModel

/// Why a query, a sort list or a property path was refused.
package struct QueryError: Error, Hashable, Sendable {
    /// The kind of error. Raw values are stable: clients see them.
    package enum Kind: String, Sendable {
        /// The text does not follow the grammar.
        case syntax
        /// A class has no property of that name.
        case unknownProperty = "unknown-property"
        /// The schema has no class of that name.
        case unknownClass = "unknown-class"
        /// Names and grammar are right, but the types or shapes do not go together.
        case type
        /// An argument is missing or does not fit its place.
        case argument
        /// The language has this, this version does not yet.
        case unsupported
        /// A bound of the parser is exceeded.
        case limit
    }

    package var kind: Kind
    /// A sentence for a person, in Realm's words where it has some.
    package var message: String
    /// Where, in Unicode scalars of the text, from 1.
    package var column: Int
    /// The argument concerned, if it is one.
    package var argumentIndex: Int?
    /// A suggestion: the nearest known name to an unknown one, or a correction.
    package var hint: String?
    /// The bytes of the value behind which an operator is missing; nil for other errors.
    var operand: Range<Int>?
}

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
