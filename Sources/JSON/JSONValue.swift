import CHoldfastSimdJSON
import Glibc
import HoldfastBytes

/// One value of a parsed text: two pointers, which read the parser's output in place.
///
/// Its validity is described at ``JSONParser/parse(_:hasPadding:depthMax:memoryMax:)``. All properties take constant time unless
/// documented otherwise. It is public because Swift 6.3 cannot inline `package` declarations into other modules.
public struct JSONValue {
    /// The kind of a value. The numbers are defined in `CSimdJSON.h`, whose constants cannot be used in code that is inlined into
    /// other modules.
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

    /// The `HFJSONEntry` of the value, followed by the entries of its children.
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

    /// The entry behind this value and all its descendants.
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

    /// The value of `true` or `false`; nil for other values.
    @inlinable public var bool: Bool? {
        kind == .bool ? entry.load(fromByteOffset: 8, as: UInt8.self) != 0 : nil
    }

    /// The unescaped UTF-8 of a string; nil for other values.
    @inlinable public var stringBytes: UnsafeRawBufferPointer? {
        kind == .string ? text : nil
    }

    /// A copy of a string; nil for other values. Linear.
    public var string: String? { stringBytes.map { String(decoding: $0, as: UTF8.self) } }

    /// The bytes of a string's or name's entry.
    @inlinable var text: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: entry.load(fromByteOffset: 8, as: UInt.self)),
            count: low)
    }
}

extension JSONValue {
    // The parser's marks on a number, as in `CSimdJSON.h`.
    @inlinable static var bigIntegerBit: UInt32 { 1 << 6 }
    @inlinable static var negativeZeroBit: UInt32 { 1 << 7 }

    /// Whether this is a number.
    @inlinable public var isNumber: Bool { kind == .integer || kind == .double }

    /// Whether this is a number without `.`, `e` and `E` that does not fit into an `Int64`.
    @inlinable public var isBigInteger: Bool { head & Self.bigIntegerBit != 0 && isNumber }

    /// A number of the kind ``Kind/integer``; nil for other values.
    @inlinable public var int64: Int64? {
        kind == .integer ? entry.load(fromByteOffset: 8, as: Int64.self) : nil
    }

    /// A number that is an integer and fits, in any form: `42`, `42.0`, `4.2e1`. It is never rounded. Linear in the text of
    /// numbers that are not of the kind ``Kind/integer``.
    public var exactInt64: Int64? {
        if let int64 { return int64 }
        return numberText.flatMap { Int64(exactlyJSONNumber: $0) }
    }

    /// The `Double` nearest to a number; nil for other values. A number that is too large is infinite.
    @inlinable public var double: Double? {
        switch kind {
        case .double: return entry.load(fromByteOffset: 8, as: Double.self)
        case .integer:
            if head & Self.negativeZeroBit != 0 { return -0.0 }
            return Double(entry.load(fromByteOffset: 8, as: Int64.self))
        default: return nil
        }
    }

    /// The `Float` nearest to a number's text, rounded once; nil for other values. A number that is too large is infinite. Linear
    /// in the text.
    public var float: Float? {
        guard let numberText else { return nil }
        let start = numberText.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return HFJSONReadFloat(start, numberText.count)
    }

    /// The text of a number, unchanged; nil for other values.
    @inlinable public var numberText: UnsafeRawBufferPointer? {
        guard isNumber else { return nil }
        return UnsafeRawBufferPointer(start: source + low, count: Int(head >> 8))
    }

    /// The number of elements of an array or members of an object; 0 for other values.
    @inlinable public var count: Int {
        isScalar ? 0 : Int(entry.load(fromByteOffset: 8, as: UInt32.self))
    }

    /// The elements of an array; empty for other values.
    @inlinable public var elements: JSONElements { JSONElements(of: self, .array) }

    /// The members of an object, including repeated names; empty for other values.
    @inlinable public var members: JSONMembers { JSONMembers(of: self) }

    /// The value of the first member with this name. Linear in the number of members.
    public func member(named name: StaticString) -> JSONValue? {
        member(named: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    /// The value of the first member with this name. Linear in the number of members.
    public func member(named name: String) -> JSONValue? {
        var name = name
        return name.withUTF8 { member(named: UnsafeRawBufferPointer($0)) }
    }

    /// The value of the first member with these bytes as name. Linear in the number of members.
    public func member(named name: UnsafeRawBufferPointer) -> JSONValue? {
        for member in members where member.isNamed(name) { return member.value }
        return nil
    }

    /// A name that occurs more than once in an object; nil if all are distinct.
    ///
    /// For objects whose names are not in a schema; otherwise it is cheaper to mark the properties found. Costs n log n for n
    /// members, and memory from 16 members on.
    public var repeatedName: UnsafeRawBufferPointer? {
        let quadraticCountMax = 16
        guard count > quadraticCountMax else { return repeatedNameOfFew }
        let sorted = members.sorted { compareKeys($0.name, $1.name) < 0 }
        for (member, following) in zip(sorted, sorted.dropFirst())
        where member.isNamed(following.name) {
            return member.name
        }
        return nil
    }

    private var repeatedNameOfFew: UnsafeRawBufferPointer? {
        var rest = members
        while let member = rest.next() {
            for other in rest where other.isNamed(member.name) { return member.name }
        }
        return nil
    }
}

/// The members of an object, in order; empty for other values. Needs no memory.
public struct JSONMembers: Sequence, IteratorProtocol {
    @usableFromInline var entries: JSONElements

    @inlinable init(of value: JSONValue) { entries = JSONElements(of: value, .object) }

    /// The next member; nil after the last.
    @inlinable public mutating func next() -> JSONMember? {
        guard let name = entries.next(), let value = entries.next() else { return nil }
        return JSONMember(name: name.text, value: value)
    }
}

/// The elements of an array, or the names and values of an object, in order; empty for other values. Needs no memory.
public struct JSONElements: Sequence, IteratorProtocol {
    @usableFromInline var position: UnsafeRawPointer
    @usableFromInline let end: UnsafeRawPointer
    @usableFromInline let source: UnsafeRawPointer

    @inlinable init(of value: JSONValue, _ kind: JSONValue.Kind) {
        position = value.kind == kind ? value.entry + JSONValue.entryByteCount : value.end
        end = value.end
        source = value.source
    }

    /// The next element; nil after the last.
    @inlinable public mutating func next() -> JSONValue? {
        guard position != end else { return nil }
        let value = JSONValue(entry: position, source: source)
        position = value.end
        return value
    }
}

/// A name and its value in an object.
public struct JSONMember {
    /// The unescaped UTF-8 of the name.
    public let name: UnsafeRawBufferPointer
    /// The value of the member.
    public let value: JSONValue

    @inlinable init(name: UnsafeRawBufferPointer, value: JSONValue) {
        self.name = name
        self.value = value
    }

    /// Whether the name is `other`.
    @inlinable public func isNamed(_ other: StaticString) -> Bool {
        isNamed(UnsafeRawBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount))
    }

    /// Whether the name has these bytes.
    @inlinable public func isNamed(_ other: UnsafeRawBufferPointer) -> Bool {
        guard name.count == other.count else { return false }
        guard let a = name.baseAddress, let b = other.baseAddress else { return true }
        return memcmp(a, b, name.count) == 0
    }
}
