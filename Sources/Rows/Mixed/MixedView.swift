import Bytes
import ObjectModel

/// A `mixed` value read in place.
///
///     offset  bytes  field
///     0       1      ``MixedKind``
///     1       …      payload: a plain value as ``ElementStorage`` has it; of a link the target's class
///                    number, four bytes, and its object key, eight; of a list or map as follows
///
///     list    4      element count n
///             4·n    where each element ends, from the end of this table
///             …      the elements, each a value like this one
///     map     4      entry count n
///             8·n    where each key and each value ends, four bytes each, from the end of this table
///             …      key, value, key, value, …; the keys in the order of their bytes, each once
///
/// An element is found without reading those before it, a key by searching half by half. Null has one
/// byte within lists and maps; elsewhere it is the null of the row or collection that holds the value.
/// Reads stay within the bytes: damaged ones are read as null or as empty.
package struct MixedView {
    /// The whole value.
    package let bytes: UnsafeRawBufferPointer

    /// Where the payload begins.
    static let payloadOffset = 1
    /// Where the table of a list or map begins.
    static let tableOffset = 5
    /// Where the object key of a link begins.
    static let linkKeyOffset = 5

    /// A view of stored bytes.
    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// A view of a value that is null where there are no bytes.
    package init(_ bytes: UnsafeRawBufferPointer?) {
        self.bytes = bytes ?? Self.nothing
    }

    /// What it is; null for bytes that are too short for what they say.
    package var kind: MixedKind {
        guard let tag = bytes.first, let kind = MixedKind(rawValue: tag) else { return .null }
        let byteCount = bytes.count - Self.payloadOffset
        if let expected = kind.payloadByteCount { return byteCount >= expected ? kind : .null }
        return kind
    }

    /// Null.
    package var isNull: Bool { kind == .null }

    /// The payload: a plain value as ``ElementStorage`` has it.
    package var payload: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes.dropFirst(Self.payloadOffset))
    }

    /// The target of a link; nil for other values.
    package var link: (classNumber: UInt32, key: UInt64)? {
        guard kind == .link else { return nil }
        return (
            bytes.loadUnaligned(fromByteOffset: Self.payloadOffset, as: UInt32.self),
            bytes.loadUnaligned(fromByteOffset: Self.linkKeyOffset, as: UInt64.self)
        )
    }

    /// How many elements a list or entries a map has; 0 for other values.
    package var count: Int {
        let slotCount: Int
        switch kind {
        case .list: slotCount = 1
        case .map: slotCount = 2
        default: return 0
        }
        guard bytes.count >= Self.tableOffset else { return 0 }
        let count = Int(bytes.loadUnaligned(fromByteOffset: Self.payloadOffset, as: UInt32.self))
        return count <= (bytes.count - Self.tableOffset) / (4 * slotCount) ? count : 0
    }

    /// The element of a list, or the value of a map's entry, at an index; null where there is none.
    /// Cost: constant.
    package func element(_ index: Int) -> MixedView {
        let count = count
        guard index >= 0, index < count else { return MixedView(Self.nothing) }
        return kind == .list
            ? MixedView(part(index, slotCount: count))
            : MixedView(part(2 * index + 1, slotCount: 2 * count))
    }

    /// The key of a map's entry; empty where there is none. Cost: constant.
    package func key(_ index: Int) -> UnsafeRawBufferPointer {
        let count = count
        guard kind == .map, index >= 0, index < count else { return Self.nothing }
        return part(2 * index, slotCount: 2 * count)
    }

    /// Where a map has a key; nil where it lacks it. Cost: logarithmic.
    package func index(ofKey key: UnsafeRawBufferPointer) -> Int? {
        guard kind == .map else { return nil }
        let count = count
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            let order = compareKeys(part(2 * middle, slotCount: 2 * count), key)
            if order == 0 { return middle }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    private static var nothing: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nil, count: 0)
    }

    private func end(_ slot: Int) -> Int {
        Int(bytes.loadUnaligned(fromByteOffset: Self.tableOffset + 4 * slot, as: UInt32.self))
    }

    /// The bytes that end where the table's slot says.
    ///
    /// - `slotCount`: How many slots the table has; they lie within the bytes.
    private func part(_ slot: Int, slotCount: Int) -> UnsafeRawBufferPointer {
        let start = Self.tableOffset + 4 * slotCount
        let from = slot == 0 ? 0 : end(slot - 1)
        let to = end(slot)
        guard from <= to, to <= bytes.count - start else { return Self.nothing }
        return UnsafeRawBufferPointer(rebasing: bytes[(start + from)..<(start + to)])
    }

    /// Where the part that holds an offset begins, and which one of the list or map it is; nil for other
    /// values and for an offset outside. Cost: logarithmic.
    func child(at offset: Int) -> (index: Int, start: Int)? {
        let count = count
        guard count > 0 else { return nil }
        let stride = kind == .list ? 1 : 2
        let start = Self.tableOffset + 4 * stride * count
        let inner = offset - start
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if end(stride * middle + stride - 1) <= inner {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard inner >= 0, low < count else { return nil }
        let slot = stride * low + stride - 1
        return (low, start + (slot == 0 ? 0 : end(slot - 1)))
    }
}
