import HoldfastObjectModel

/// The kinds of values that `@type` tells, as sets of bits.
enum PlainKinds {
    /// The names of each kind, in the order of its bits.
    private static let names: [[String]] = [
        ["null"], ["bool", "boolean"],
        ["int", "integer", "int16", "int32", "int64", "short", "long", "byte", "char"],
        ["float"], ["double"], ["decimal", "decimal128"], ["string"],
        ["binary", "data", "bytearray", "byte[]", "bindata"],
        ["date", "timestamp", "datetimeoffset"], ["objectid"], ["uuid", "guid"],
        ["link", "objectlink"], ["array", "list"], ["object", "dictionary"],
    ]

    /// Every name.
    static let all = names.flatMap { $0 } + ["numeric", "collection"]

    /// The set that a name stands for.
    static func named(_ name: String) -> Int64 {
        switch name.lowercased() {
        case "numeric": named("int") | named("float") | named("double") | named("decimal")
        case "collection": named("list") | named("dictionary")
        case let lower: names.firstIndex { $0.contains(lower) }.map { 1 << Int64($0) } ?? 0
        }
    }

    /// The set of the kind of a value.
    static func of(_ value: Value) -> Int64 {
        switch value {
        case .null: named("null")
        case .bool: named("bool")
        case .int: named("int")
        case .float: named("float")
        case .double: named("double")
        case .decimal: named("decimal")
        case .string: named("string")
        case .data: named("data")
        case .date: named("date")
        case .objectID: named("objectid")
        case .uuid: named("uuid")
        case .link: named("link")
        case .list: named("list")
        case .map: named("dictionary")
        }
    }
}
