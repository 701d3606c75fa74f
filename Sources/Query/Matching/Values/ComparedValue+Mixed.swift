import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

/// Comparisons in which a `mixed` value takes part: its own kind decides what it compares with.
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
