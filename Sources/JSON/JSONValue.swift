/// One value of a parsed text: two pointers, read where the parser wrote it.
///
/// Valid as long as ``JSONParser/parse(_:hasPadding:depthMax:)`` says. All properties take constant
/// time unless they say otherwise. It is public because Swift 6.3 inlines nothing that is `package`
/// into other modules.
public struct JSONValue {
    /// The kind of a value. The numbers are those of `CSimdJSON.h`, whose constants cannot be named in
    /// code that is inlined into other modules.
    public enum Kind: UInt8, Sendable {
        case null = 0
        case bool = 1
        /// A number without `.`, `e` and `E` that fits into an `Int64`.
        case integer = 2
        /// Any other number.
        case double = 3
        case string = 4
        case array = 5
        case object = 6
    }

    /// The `HFJSONEntry` of the value; those of its children follow.
    @usableFromInline let entry: UnsafeRawPointer
    @usableFromInline let source: UnsafeRawPointer

    @inlinable static var entryByteCount: Int { 16 }

    @inlinable init(entry: UnsafeRawPointer, source: UnsafeRawPointer) {
        self.entry = entry
        self.source = source
    }

    @inlinable var head: UInt32 { entry.load(as: UInt32.self) }
    @inlinable var low: Int { Int(entry.load(fromByteOffset: 4, as: UInt32.self)) }
    @inlinable var isScalar: Bool { kind.rawValue < Kind.array.rawValue }

    /// The entry behind this value and all below it.
    @inlinable var end: UnsafeRawPointer {
        let count = isScalar ? 1 : Int(entry.load(fromByteOffset: 12, as: UInt32.self))
        return entry + count * Self.entryByteCount
    }

    /// The kind of the value.
    @inlinable public var kind: Kind {
        Kind(rawValue: UInt8(truncatingIfNeeded: head & 0xF)) ?? .null
    }

    /// Whether this is `null`.
    @inlinable public var isNull: Bool { kind == .null }

    /// True or false; nil when the value is something else.
    @inlinable public var bool: Bool? {
        kind == .bool ? entry.load(fromByteOffset: 8, as: UInt8.self) != 0 : nil
    }

    /// The unescaped UTF-8 of a string; nil when the value is something else.
    @inlinable public var stringBytes: UnsafeRawBufferPointer? {
        kind == .string ? text : nil
    }

    /// A copy of a string; nil when the value is something else. Linear.
    public var string: String? {
        stringBytes.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of an entry that is a string or a name.
    @inlinable var text: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: entry.load(fromByteOffset: 8, as: UInt.self)),
            count: low)
    }
}
