import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

/// A value of either side of a comparison of two paths, held without a copy.
struct ComparedValue {
    /// The kind of value; nil for null. `embedded` stands for something that equals nothing.
    var storage: ElementStorage?
    var kind: MixedKind?
    /// A value of fixed width.
    var ordinal: UInt128 = 0
    /// A string or data value; its address is valid as long as the row or constant it lies in.
    var bytes = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Null.
    init() {}

    /// A stored value, or null at nil.
    init(_ address: UnsafeRawPointer?, _ count: Int, _ storage: ElementStorage) {
        guard let address else {
            self.init()
            return
        }
        self.init(text: UnsafeRawBufferPointer(start: address, count: count), storage)
    }

    /// A stored value. Its bytes may have no address if they are empty.
    init(text: UnsafeRawBufferPointer, _ storage: ElementStorage) {
        if storage == .mixed {
            self = ComparedValue(MixedView(text))
            return
        }
        self.storage = storage
        if storage.fixedByteCount == nil {
            bytes = text
        } else if let address = text.baseAddress {
            ordinal = Ordinal.stored(address, storage)
        }
    }

    /// A constant; `text` holds its bytes when it is a string or data.
    init(_ constant: Value, text: TextConstant?) {
        guard let scalar = constant.scalarType else {
            storage = constant == .null ? nil : .embedded
            return
        }
        let storage = ElementStorage(scalar)
        self.storage = storage
        if let text { bytes = text.bytes } else { ordinal = Ordinal.of(constant, as: storage) ?? 0 }
    }

    /// A value of a fixed width, by its ordinal.
    init(ordinal: UInt128, _ storage: ElementStorage) {
        self.storage = storage
        self.ordinal = ordinal
    }

    /// An object's key, or an object that does not exist.
    init(object key: UInt64?) {
        storage = key == nil ? .embedded : .link
        ordinal = UInt128(key ?? 0)
    }

    /// A number of any kind as a constant.
    var number: Value? {
        let bits = UInt64(truncatingIfNeeded: ordinal)
        switch storage {
        case .int: return .int(Int64(bitPattern: bits ^ 1 << 63))
        case .double: return .double(Self.double(bits))
        case .float: return .float(Self.float(UInt32(truncatingIfNeeded: bits)))
        default: return nil
        }
    }

    /// Returns the double that has these ordered bits.
    static func double(_ bits: UInt64) -> Double {
        bits == 0 ? .nan : Double(bitPattern: bits >> 63 != 0 ? bits ^ 1 << 63 : ~bits)
    }

    /// Returns the float that has these ordered bits.
    static func float(_ bits: UInt32) -> Float {
        bits == 0 ? .nan : Float(bitPattern: bits >> 31 != 0 ? bits ^ 1 << 31 : ~bits)
    }

    /// Returns the order of two values of comparable types: negative, 0 or positive; nil for others.
    static func order(_ a: ComparedValue, _ b: ComparedValue) -> Int? {
        if a.kind != nil || b.kind != nil { return mixedOrder(a, b) }
        guard let x = a.storage, let y = b.storage else { return nil }
        if x == y {
            if x == .string || x == .data { return compareKeys(a.bytes, b.bytes) }
            if x == .embedded { return nil }
            return a.ordinal < b.ordinal ? -1 : a.ordinal == b.ordinal ? 0 : 1
        }
        guard x.isNumeric, y.isNumeric else { return nil }
        // A decimal is compared with the other as a decimal; else the int is the constant, or the double.
        if y == .decimal || (x != .decimal && (x == .int || y == .float)) {
            return order(b, a).map { -$0 }
        }
        guard let constant = b.number else { return nil }
        if let exact = Ordinal.number(constant, as: x) {
            return a.ordinal < exact ? -1 : a.ordinal == exact ? 0 : 1
        }
        let isLess = Ordinal.range(.less, constant, as: x)?.contains(a.ordinal) ?? false
        return isLess ? -1 : 1
    }

    /// Returns the order in which values sort: null first.
    static func sortOrder(_ a: ComparedValue, _ b: ComparedValue) -> Int {
        if a.storage == nil { return b.storage == nil ? 0 : -1 }
        if b.storage == nil { return 1 }
        if a.kind != nil || b.kind != nil { return mixedSortOrder(a, b) }
        return order(a, b) ?? 0
    }
}

extension Number {
    /// The number to compare with others.
    var compared: ComparedValue {
        switch self {
        case .int(let value): ComparedValue(ordinal: Ordinal.of(value), .int)
        case .float(let value): ComparedValue(ordinal: Ordinal.of(value), .float)
        case .double(let value): ComparedValue(ordinal: Ordinal.of(value), .double)
        case .decimal(let value): ComparedValue(ordinal: value.ordinal, .decimal)
        }
    }
}

/// Comparisons with a `mixed` value: its own kind decides how it compares.
extension ComparedValue {
    /// A `mixed` value that is not null.
    init(_ value: MixedView) {
        self.init()
        kind = value.kind
        switch value.kind {
        case .null: return
        case .string, .data:
            storage = value.kind.storage
            bytes = value.payload
        case .link:
            guard let link = value.link else { return }
            storage = .link
            ordinal = UInt128(link.classNumber) << 64 | UInt128(link.key)
        case .list, .map:
            // They equal nothing and sort by their kind alone.
            storage = .embedded
        default:
            storage = value.kind.storage
            if let storage, let address = value.payload.baseAddress {
                ordinal = Ordinal.stored(address, storage)
            }
        }
    }

    /// An object as a `mixed` link leads to it, or one that does not exist.
    init(mixedObject object: ObjectConstant) {
        self.init(object: object.key)
        kind = .link
        ordinal = UInt128(object.classNumber) << 64 | ordinal
    }

    /// Makes a link one that `mixed` values compare with.
    mutating func addClass(_ classNumber: UInt32) {
        kind = .link
        ordinal = UInt128(classNumber) << 64 | ordinal
    }

    /// The rank of the value's kind in the order of values; nil for null and for values without a kind.
    var rank: UInt8? {
        if let kind { return kind == .null ? nil : kind.rank }
        guard let storage, storage != .embedded, storage != .mixed else { return nil }
        return MixedKind(stored: storage).rank
    }

    /// The value as an exact number; nil for other values.
    private var mixedNumber: MixedNumber? {
        if storage == .decimal { return MixedNumber(Decimal128(ordinal: ordinal)) }
        return number.flatMap { MixedNumber($0) }
    }

    /// Returns the order of two values of the same kind: negative, 0 or positive; nil for others.
    static func mixedOrder(_ a: ComparedValue, _ b: ComparedValue) -> Int? {
        guard let rank = a.rank, rank == b.rank, a.storage != .embedded, b.storage != .embedded
        else { return nil }
        switch rank {
        case MixedKind.int.rank:
            guard let x = a.mixedNumber, let y = b.mixedNumber else { return nil }
            return x < y ? -1 : x == y ? 0 : 1
        case MixedKind.string.rank, MixedKind.data.rank: return compareKeys(a.bytes, b.bytes)
        default: return a.ordinal < b.ordinal ? -1 : a.ordinal == b.ordinal ? 0 : 1
        }
    }

    /// Returns the order in which `mixed` values sort: by kind, then within it; lists are alike, and maps.
    static func mixedSortOrder(_ a: ComparedValue, _ b: ComparedValue) -> Int {
        let (x, y) = (a.rank ?? 0, b.rank ?? 0)
        return x == y ? mixedOrder(a, b) ?? 0 : Int(x) - Int(y)
    }
}

/// A value to compare, with the bytes that it lies in.
struct OwnedValue {
    /// The value; valid as long as this one is.
    let compared: ComparedValue
    private let bytes: TextConstant?

    /// A stored value, or null at nil.
    init(_ address: UnsafeRawPointer?, _ count: Int, _ storage: ElementStorage) {
        let copy = TextConstant(UnsafeRawBufferPointer(start: address, count: count))
        bytes = copy
        compared = address == nil ? ComparedValue() : ComparedValue(text: copy.bytes, storage)
    }

    /// A constant.
    init(_ value: Value) {
        bytes = TextConstant(value)
        compared = ComparedValue(value, text: bytes)
    }
}
