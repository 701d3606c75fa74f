extension ScalarType {
    /// The type that a name of other languages and databases stands for, whatever its case; nil for other
    /// names.
    package init?(guess name: String) {
        switch name.lowercased() {
        case "boolean", "bit": self = .bool
        case "integer", "bigint", "long", "smallint", "short", "serial": self = .int
        case "real", "number": self = .double
        case "decimal", "numeric", "money", "bigdecimal": self = .decimal128
        case "text", "str", "char", "varchar", "character varying", "email", "url", "symbol":
            self = .string
        case "bytes", "blob", "binary", "bytea", "buffer", "uint8array": self = .data
        case "datetime", "timestamp", "timestamptz", "time", "date-time", "instant": self = .date
        case "guid": self = .uuid
        case "object_id", "oid": self = .objectID
        case "json", "jsonb", "any", "anyrealmvalue", "dictionary", "variant", "unknown":
            self = .mixed
        case let lower:
            guard let type = Self.allCases.first(where: { $0.name.lowercased() == lower }) else {
                return nil
            }
            self = type
        }
    }
}

extension Property {
    /// Finds the type that was meant by a name that is neither a type's nor a class's, as it is written in a
    /// schema in short; nil where it is unknown.
    func typeText(meantBy name: String, among classNames: some Collection<String>) -> String? {
        let meant =
            ScalarType(guess: name)?.name
            ?? classNames.filter { $0.lowercased() == name.lowercased() }.min()
        guard let meant else { return nil }
        // A single one is optional whatever was meant, since it was taken for a link.
        return switch type {
        case .single, .linkingObjects: meant
        case .list: meant + "[]"
        case .set: meant + "<>"
        case .map: meant + "{}"
        }
    }
}
