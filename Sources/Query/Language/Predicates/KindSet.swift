import HoldfastObjectModel
import HoldfastRows

/// Kinds of a `mixed` value as a set: the result of `@type`, and the meaning of its names.
enum KindSet {
    /// Makes the set of one kind: a bit that its rank, and its place among the four of that, tell.
    static func of(_ kind: MixedKind) -> Int64 {
        1 << (Int64(kind.rank) << 2 | Int64(kind.rawValue & 3))
    }

    /// The names of kinds, in lower case.
    private static let names: [String: [MixedKind]] = [
        "null": [.null], "int": [.int], "integer": [.int], "int16": [.int], "int32": [.int],
        "int64": [.int], "short": [.int], "long": [.int], "byte": [.int], "char": [.int],
        "bool": [.bool], "boolean": [.bool], "string": [.string], "binary": [.data],
        "data": [.data], "bytearray": [.data], "byte[]": [.data], "bindata": [.data],
        "date": [.date], "timestamp": [.date], "datetimeoffset": [.date], "float": [.float],
        "double": [.double], "decimal": [.decimal], "decimal128": [.decimal],
        "objectid": [.objectID], "uuid": [.uuid], "guid": [.uuid], "link": [.link],
        "objectlink": [.link], "object": [.map], "dictionary": [.map], "array": [.list],
        "list": [.list], "numeric": [.int, .float, .double, .decimal], "collection": [.list, .map],
    ]

    /// Returns the set that a name stands for, in any case; nil for an unknown name.
    static func named(_ name: String) -> Int64? {
        names[name.lowercased()]?.reduce(0) { $0 | of($1) }
    }

    /// All names, in alphabetical order.
    static let allNames = names.keys.sorted()
}
