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
}
