import ObjectModel

/// A warning about a valid schema that may surprise its user.
struct SchemaWarning: Equatable {
    /// The class.
    var className: String
    /// The property.
    var property: String
    /// What surprises.
    package var detail: String

    /// Words that a query reads as part of its grammar in any case of their letters.
    private static let wordsInAnyCase: Set<String> = [
        "and", "or", "truepredicate", "falsepredicate", "geowithin", "geobox", "geopolygon",
        "geocircle", "obj", "subquery", "null", "nil", "inf", "infinity", "nan",
    ]
    /// Words that it reads so only in these spellings.
    private static let words: Set<String> = [
        "not", "NOT", "any", "ANY", "some", "SOME", "all", "ALL", "none", "NONE", "true", "TRUE",
        "false", "FALSE",
    ]

    /// The properties that no query can name.
    static func all(of schema: Schema) -> [SchemaWarning] {
        schema.classes.flatMap { objectClass in
            objectClass.properties.compactMap { property in
                guard
                    words.contains(property.name)
                        || wordsInAnyCase.contains(property.name.lowercased())
                else { return nil }
                return SchemaWarning(
                    className: objectClass.name, property: property.name,
                    detail: "'\(property.name)' is a word of the query language, so that queries "
                        + "cannot name this property. It is stored and read as any other.")
            }
        }
    }
}
