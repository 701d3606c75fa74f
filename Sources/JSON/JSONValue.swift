import CSimdJSON

/// One value of a parsed text: two pointers, read where the parser wrote it.
///
/// Valid as long as ``JSONParser/parse(_:hasPadding:depthMax:)`` says. All properties take constant
/// time unless they say otherwise.
package struct JSONValue {
    /// What a value is.
    package enum Kind: Sendable {
        case null
        case bool
        /// A number without `.`, `e` and `E` that fits into an `Int64`.
        case integer
        /// Any other number.
        case double
        case string
        case array
        case object
    }

    /// The `HFJSONEntry` of the value; those of its children follow.
    let entry: UnsafeRawPointer
    let source: UnsafeRawPointer

    static let entryByteCount = 16

    var head: UInt32 { entry.load(as: UInt32.self) }
    var tag: Int { Int(head & 0xF) }
    var low: Int { Int(entry.load(fromByteOffset: 4, as: UInt32.self)) }
    var isScalar: Bool { tag < HFJSON_ARRAY }

    /// The entry behind this value and all below it.
    var end: UnsafeRawPointer {
        let count = isScalar ? 1 : Int(entry.load(fromByteOffset: 12, as: UInt32.self))
        return entry + count * Self.entryByteCount
    }

    /// What the value is.
    package var kind: Kind {
        switch tag {
        case HFJSON_NULL: .null
        case HFJSON_FALSE, HFJSON_TRUE: .bool
        case HFJSON_INTEGER: .integer
        case HFJSON_DOUBLE: .double
        case HFJSON_STRING: .string
        case HFJSON_ARRAY: .array
        default: .object
        }
    }

    /// Whether this is `null`.
    package var isNull: Bool { tag == HFJSON_NULL }

    /// True or false; nil when the value is something else.
    package var bool: Bool? {
        switch tag {
        case HFJSON_TRUE: true
        case HFJSON_FALSE: false
        default: nil
        }
    }

    /// The unescaped UTF-8 of a string; nil when the value is something else.
    package var stringBytes: UnsafeRawBufferPointer? {
        tag == HFJSON_STRING ? text : nil
    }

    /// A copy of a string; nil when the value is something else. Linear.
    package var string: String? {
        stringBytes.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of an entry that is a string or a name.
    var text: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: entry.load(fromByteOffset: 8, as: UInt.self)),
            count: low)
    }
}
