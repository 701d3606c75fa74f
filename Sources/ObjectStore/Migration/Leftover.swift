import Bytes
import Storage

/// Entries that no catalog leads to: what a schema change leaves behind, or what one that did not end
/// has written so far. They are removed in small commits.
enum Leftover: Hashable, Sendable {
    /// The entries of an index, by the property's number.
    case index(property: UInt32)
    /// Rows, by their space, of a class; what they alone refer to outside them goes too.
    case rows(space: UInt32, classNumber: UInt32)
    /// Values outside rows, of a class.
    case outside(classNumber: UInt32)
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
        case .outside(let number):
            buffer.append(StoreKey.Tag.outside)
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
