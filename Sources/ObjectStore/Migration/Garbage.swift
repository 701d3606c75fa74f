import Bytes
import Storage

/// Entries that no catalog refers to: those that a schema change made superfluous, or that an unfinished one
/// has staged. They are removed in small commits.
enum Garbage: Hashable, Sendable {
    /// The entries of an index, by the property's number.
    case index(property: UInt32)
    /// Rows, by their space, of a class; their out-of-line values go too.
    case rows(space: UInt32, classNumber: UInt32)
    /// Out-of-line values, of a class.
    case overflow(classNumber: UInt32)
    /// Primary keys, by their space.
    case keys(space: UInt32)
    /// The counters of a class.
    case classState(classNumber: UInt32)
    /// The inverse links of a class's objects.
    case incoming(classNumber: UInt32)
    /// The inverse links through one property, of one origin class or of all.
    case inverse(target: UInt32, property: UInt32, origin: UInt32?)

    /// Where the entries lie.
    var range: KeyRange {
        let buffer = ByteBuffer(capacity: 8)
        switch self {
        case .index(let number):
            StoreKey.appendIndexPrefix(number, to: buffer)
        case .overflow(let number):
            buffer.append(StoreKey.Tag.overflow)
            buffer.append(big: number)
        case .rows(let number, _):
            buffer.append(StoreKey.Tag.row)
            buffer.append(big: number)
        case .keys(let number):
            buffer.append(StoreKey.Tag.primaryKey)
            buffer.append(big: number)
        case .classState(let number):
            StoreKey.appendClassState(number, to: buffer)
        case .incoming(let number), .inverse(let number, _, _):
            buffer.append(StoreKey.Tag.inverseLink)
            buffer.append(big: number)
        }
        return KeyRange(prefix: buffer.array)
    }

    /// Whether an entry of ``range`` is one of them.
    func contains(_ key: UnsafeRawBufferPointer) -> Bool {
        guard case .inverse(_, let property, let origin) = self else { return true }
        guard key.count == InverseLink.keyByteCount, InverseLink.propertyNumber(key) == property
        else { return false }
        guard let origin else { return true }
        return InverseLink.originClassNumber(key) == origin
    }
}
