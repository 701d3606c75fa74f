/// The type of one plain value. Raw values are part of the storage format.
package enum ScalarType: UInt8, Sendable, CaseIterable {
    /// True or false.
    case bool = 1
    /// A signed 64-bit integer.
    case int = 2
    /// An IEEE 754 binary64 number.
    case double = 3
    /// UTF-8 text of at most 16 MiB.
    case string = 4
    /// At most 16 MiB of bytes.
    case data = 5
    /// A point in time with nanoseconds.
    case date = 6
    /// A 12-byte object identifier.
    case objectID = 7
    /// A 16-byte universally unique identifier.
    case uuid = 8
    /// A signed 8-bit integer.
    case int8 = 9
    /// A signed 16-bit integer.
    case int16 = 10
    /// A signed 32-bit integer.
    case int32 = 11
    /// A signed 64-bit integer, named by its width.
    case int64 = 12
    /// An IEEE 754 binary32 number.
    case float = 13
    /// An IEEE 754 decimal128 number.
    case decimal128 = 14
    /// A value of any kind, including null: a plain value, a link to an object of any class, or a list or map of such values.
    case mixed = 15

    /// The type's name in a schema document.
    package var name: String {
        switch self {
        case .bool: "bool"
        case .int: "int"
        case .double: "double"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .objectID: "objectId"
        case .uuid: "uuid"
        case .int8: "int8"
        case .int16: "int16"
        case .int32: "int32"
        case .int64: "int64"
        case .float: "float"
        case .decimal128: "decimal128"
        case .mixed: "mixed"
        }
    }

    /// Finds a type by its name in a schema document.
    package init?(name: String) {
        guard let type = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = type
    }

    /// The type of the stored values: `int` for integers of every width. They are stored in the same way, so that a wider type
    /// can read the values of a narrower one.
    package var widened: ScalarType {
        switch self {
        case .int8, .int16, .int32, .int64: .int
        default: self
        }
    }

    /// The range of an integer type; nil for other types.
    package var integerRange: ClosedRange<Int64>? {
        switch self {
        case .int8: Int64(Int8.min)...Int64(Int8.max)
        case .int16: Int64(Int16.min)...Int64(Int16.max)
        case .int32: Int64(Int32.min)...Int64(Int32.max)
        case .int, .int64: Int64.min...Int64.max
        default: nil
        }
    }

    /// The range of an integer type that is narrower than `int`; nil for other types.
    package var narrowRange: ClosedRange<Int64>? {
        self == .int || self == .int64 ? nil : integerRange
    }

    /// The zero value: false, 0, an empty text, no bytes, the epoch, an identifier of zeros.
    package var zero: Value {
        switch self {
        case .bool: .bool(false)
        case .int, .int8, .int16, .int32, .int64: .int(0)
        case .float: .float(0)
        case .double: .double(0)
        case .decimal128: .decimal(Decimal128(0))
        case .string: .string("")
        case .data: .data([])
        case .date: .date(Timestamp(seconds: 0, nanoseconds: 0))
        case .objectID: .objectID(ObjectID(high: 0, low: 0))
        case .uuid: .uuid(UUID128(high: 0, low: 0))
        case .mixed: .null
        }
    }

    package var canBePrimaryKey: Bool {
        switch self {
        case .int, .int8, .int16, .int32, .int64, .string, .objectID, .uuid: true
        case .bool, .float, .double, .decimal128, .data, .date, .mixed: false
        }
    }

    /// Whether a property of this type may be indexed.
    package var canBeIndexed: Bool { self != .data }
}

extension ScalarType {
    /// Finds the type for a type name of another language or database, in any case; nil for other names. A length in parentheses
    /// behind it, as in `varchar(20)`, does not count.
    package init?(guess name: String) {
        switch name.lowercased().prefix(while: { $0 != "(" }) {
        case "boolean", "bit": self = .bool
        case "integer", "bigint", "long", "smallint", "short", "tinyint", "uint", "serial",
            "bigserial":
            self = .int
        case "real", "number", "float64", "double precision": self = .double
        case "float32", "single": self = .float
        case "decimal", "numeric", "money", "bigdecimal": self = .decimal128
        case "text", "str", "char", "varchar", "nvarchar", "character varying", "email", "url",
            "uri", "symbol":
            self = .string
        case "bytes", "blob", "binary", "varbinary", "bytea", "buffer", "uint8array", "file",
            "image":
            self = .data
        case "datetime", "timestamp", "timestamptz", "time", "date-time", "instant": self = .date
        case "guid", "uuid4", "uuidv4", "uniqueidentifier": self = .uuid
        case "object_id", "oid": self = .objectID
        case "json", "jsonb", "any", "anyrealmvalue", "variant", "unknown":
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
    /// Finds the intended type for a name that is neither a type nor a class. Returns it in the short form of a schema; nil if no
    /// type is found.
    func typeText(meantBy name: String, among classNames: some Collection<String>) -> String? {
        var alternatives = name.split(separator: "|").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        let count = alternatives.count
        alternatives.removeAll { ["null", "nil", "undefined"].contains($0) }
        let isNullable = alternatives.count == 1 && count == 2
        let named = isNullable ? alternatives[0] : name
        let wanted = named.lowercased()
        let meant =
            ScalarType(guess: named)?.name
            ?? classNames.filter { $0.lowercased() == wanted }.min()
            ?? classNames.filter { wanted.isPlural(of: $0.lowercased()) }.min()
        guard let meant else { return nil }
        // A single value gets no `?` but for a null that the name states: the name was read as a link, which is always optional.
        return switch type {
        case .single, .linkingObjects: isNullable && meant != "mixed" ? meant + "?" : meant
        case .list: meant + "[]"
        case .set: meant + "<>"
        case .map: meant + "{}"
        }
    }
}

extension ScalarType {
    /// A sentence about a type name of other products, for what is no type of its own here; nil for other names.
    static func advice(about name: String) -> String? {
        switch name.lowercased().prefix(while: { $0 != "(" }) {
        case "serial", "bigserial", "autoincrement", "identity":
            "A primary key that counts up is an int with \"default\": \"$next\"."
        case "array", "collection", "slice", "vector":
            "A list is the type of its elements and '[]', such as 'string[]'."
        case "dict", "dictionary", "hash", "record", "hashmap":
            "A map is the type of its values and '{}', such as 'string{}'."
        case "linkingobjects", "backlinks", "inverse":
            "An inverse link is {\"type\": \"linkingObjects\"} with its \"class\" and \"property\"."
        case let lower where lower.hasSuffix("@id"):
            "The primary key is a member of the class: \"primaryKey\": \"id\"."
        case "enum", "select", "choice":
            "An enum is a type with its values: {\"type\": \"string\", \"enum\": [\"a\", \"b\"]}."
        case "relation", "relationship", "reference", "ref", "link", "pointer", "foreignkey":
            "The type of a link is the name of a class, and '[]' after it for a list of links."
        case "geo", "geopoint", "geojson", "geography", "geometry", "point", "latlng":
            "The type of a point is the name of an embedded class: {\"kind\": \"embedded\", "
                + "\"properties\": {\"type\": {\"type\": \"string\", \"default\": \"Point\"}, "
                + "\"coordinates\": \"double[]\"}}."
        default: nil
        }
    }
}

extension String {
    /// Whether the name is the English plural of another, both in lower case.
    fileprivate func isPlural(of singular: String) -> Bool {
        self == singular + "s" || self == singular + "es"
            || singular.hasSuffix("y") && self == singular.dropLast() + "ies"
    }
}
