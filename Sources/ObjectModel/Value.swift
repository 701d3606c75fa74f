/// A value outside a row: a default, an argument of a query, an identifier in a path.
///
/// Rows are read in place. This type is for single values.
package enum Value: Hashable, Sendable {
    case null
    /// True or false.
    case bool(Bool)
    /// A signed integer.
    case int(Int64)
    /// A floating-point number.
    case double(Double)
    /// A floating-point number of single precision.
    case float(Float)
    case decimal(Decimal128)
    case string(String)
    case data([UInt8])
    /// A point in time.
    case date(Timestamp)
    case objectID(ObjectID)
    case uuid(UUID128)
    /// A link to an object of a class, by its primary key, or by its object key if the class has no primary key.
    indirect case link(className: String, key: Value)
    /// Several values in order; as a default, a collection of any kind.
    case list([Value])
    /// Values by distinct keys; only in a `mixed` value.
    case map([MapEntry])

    /// A value of a map and its key.
    package struct MapEntry: Hashable, Sendable {
        package var key: String
        package var value: Value

        /// Makes an entry.
        package init(_ key: String, _ value: Value) {
            self.key = key
            self.value = value
        }

        package static func == (a: MapEntry, b: MapEntry) -> Bool {
            a.key.isSame(as: b.key) && a.value == b.value
        }
    }

    /// The scalar type of the value; nil for null, links, lists and maps.
    package var scalarType: ScalarType? {
        switch self {
        case .bool: .bool
        case .int: .int
        case .double: .double
        case .string: .string
        case .data: .data
        case .date: .date
        case .objectID: .objectID
        case .uuid: .uuid
        case .float: .float
        case .decimal: .decimal128
        case .null, .link, .list, .map: nil
        }
    }
}

extension Value {
    /// Whether two values are the same. NaN equals itself here, so that a schema with such a default equals the stored one;
    /// queries compare by other rules. Texts are compared byte by byte, as in rows.
    package static func == (a: Value, b: Value) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let x), .bool(let y)): x == y
        case (.int(let x), .int(let y)): x == y
        case (.double(let x), .double(let y)): x == y || x.bitPattern == y.bitPattern
        case (.float(let x), .float(let y)): x == y || x.bitPattern == y.bitPattern
        case (.decimal(let x), .decimal(let y)): x == y
        case (.string(let x), .string(let y)): x.isSame(as: y)
        case (.data(let x), .data(let y)): x == y
        case (.date(let x), .date(let y)): x == y
        case (.objectID(let x), .objectID(let y)): x == y
        case (.uuid(let x), .uuid(let y)): x == y
        case (.link(let x, let key), .link(let y, let other)): x.isSame(as: y) && key == other
        case (.list(let x), .list(let y)): x == y
        case (.map(let x), .map(let y)): x == y
        default: false
        }
    }

    /// Hashes the values that ``==(_:_:)`` compares. Texts are hashed byte by byte, so texts that only look alike differ.
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): Self.combine(1, value, &hasher)
        case .int(let value): Self.combine(2, value, &hasher)
        case .double(let value): Self.combine(3, value, &hasher)
        case .float(let value): Self.combine(4, value, &hasher)
        case .decimal(let value): Self.combine(5, value, &hasher)
        case .string(let value): Self.combine(6, Array(value.utf8), &hasher)
        case .data(let value): Self.combine(7, value, &hasher)
        case .date(let value): Self.combine(8, value, &hasher)
        case .objectID(let value): Self.combine(9, value, &hasher)
        case .uuid(let value): Self.combine(10, value, &hasher)
        case .link(let className, let key):
            Self.combine(11, ExactText(className), &hasher)
            hasher.combine(key)
        case .list(let values): Self.combine(12, values, &hasher)
        case .map(let entries): Self.combine(13, entries, &hasher)
        }
    }

    private static func combine(_ kind: Int, _ value: some Hashable, _ hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(value)
    }
}

extension Value.MapEntry {
    package func hash(into hasher: inout Hasher) {
        hasher.combine(Array(key.utf8))
        hasher.combine(value)
    }
}

extension Value {
    /// Whether the value is allowed as the constant default of a `mixed` property. Lists and maps must not nest too deeply, keys
    /// must be valid and distinct, and there must be no links, because their targets may be deleted.
    package var fitsMixed: Bool { fitsMixed(depth: 0) }

    private func fitsMixed(depth: Int) -> Bool {
        switch self {
        case .link: return false
        case .list(let values):
            return depth < ModelLimits.mixedDepthMax
                && values.allSatisfy { $0.fitsMixed(depth: depth + 1) }
        case .map(let entries):
            return depth < ModelLimits.mixedDepthMax
                && Set(entries.map { Array($0.key.utf8) }).count == entries.count
                && entries.allSatisfy {
                    MapKey.fault(of: $0.key) == nil && $0.value.fitsMixed(depth: depth + 1)
                }
        default: return true
        }
    }
}

/// The rules for keys of maps: strings without `.` and `$`.
package enum MapKey {
    /// A fault of a key.
    package enum Fault {
        /// The key has more bytes than ``ModelLimits/keyByteCountMax``.
        case tooLong
        /// The key contains this character, which has to be percent-encoded.
        case character(Character)
    }

    /// Finds the fault of a key; nil if it is valid.
    package static func fault(of key: String) -> Fault? {
        var key = key
        return key.withUTF8 { fault(of: UnsafeRawBufferPointer($0)) }
    }

    /// Finds the fault of a key's UTF-8; nil if it is valid.
    package static func fault(of key: UnsafeRawBufferPointer) -> Fault? {
        for byte in key {
            if byte == UInt8(ascii: ".") { return .character(".") }
            if byte == UInt8(ascii: "$") { return .character("$") }
        }
        return key.count > ModelLimits.keyByteCountMax ? .tooLong : nil
    }
}
