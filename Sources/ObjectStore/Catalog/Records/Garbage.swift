import HoldfastBytes
import HoldfastStorage

/// Entries that no catalog refers to: a schema change made them superfluous, or an unfinished one
/// has staged. They are removed in small commits.
struct Garbage: Hashable, Sendable {
    /// The kind of the entries. Raw values are stored.
    enum Kind: UInt8 {
        /// The entries of an index, by its number.
        case index = 1
        /// Rows, by their space, and their class; their out-of-line values go too.
        case rows = 2
        /// Primary keys, by their space.
        case keys = 3
        /// The counters of a class.
        case classState = 4
        /// The inverse links of a class's objects.
        case incoming = 5
        /// The inverse links of a class's objects through one property.
        case inverse = 6
        case inverseOfOrigin = 7
        /// Out-of-line values, of a class.
        case overflow = 8

        /// The number of numbers that it takes.
        var numberCount: Int {
            switch self {
            case .index, .keys, .classState, .incoming, .overflow: 1
            case .rows, .inverse: 2
            case .inverseOfOrigin: 3
            }
        }

        fileprivate var tag: UInt8 {
            switch self {
            case .index: StoreKey.Tag.index
            case .rows: StoreKey.Tag.row
            case .keys: StoreKey.Tag.primaryKey
            case .classState: StoreKey.Tag.classState
            case .incoming, .inverse, .inverseOfOrigin: StoreKey.Tag.inverseLink
            case .overflow: StoreKey.Tag.overflow
            }
        }
    }

    private(set) var kind: Kind
    /// The numbers of their owners, as ``Kind`` says.
    private(set) var numbers: [UInt32]

    init(_ kind: Kind, _ numbers: UInt32...) {
        self.kind = kind
        self.numbers = numbers
    }

    /// Writes the entry of a record, or reads it.
    mutating func code(_ coder: inout RecordCoder) {
        coder.code(&kind)
        if coder.isReading { numbers = Array(repeating: 0, count: kind.numberCount) }
        for index in numbers.indices { coder.code(&numbers[index]) }
    }

    var range: KeyRange {
        let buffer = ByteBuffer(capacity: 8)
        buffer.append(kind.tag)
        buffer.append(big: numbers[0])
        return KeyRange(prefix: buffer.array)
    }

    /// Whether an entry of ``range`` is one of them.
    func contains(_ key: UnsafeRawBufferPointer) -> Bool {
        guard kind == .inverse || kind == .inverseOfOrigin else { return true }
        return key.count == InverseLink.keyByteCount
            && InverseLink.propertyNumber(key) == numbers[1]
            && (kind == .inverse || InverseLink.originClassNumber(key) == numbers[2])
    }
}
