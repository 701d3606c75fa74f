import HoldfastBytes
import HoldfastRows

/// The difference of a set or map between two states: the elements of the set, or the keys of the map, that were removed,
/// inserted, or kept with another value.
///
/// They are stored bytes, nil for null, and valid while both transactions are open in which they were read.
package struct KeyedDifference {
    /// The removed keys or elements, in order.
    package private(set) var removed: [UnsafeRawBufferPointer?] = []
    /// The inserted keys or elements, in order.
    package private(set) var inserted: [UnsafeRawBufferPointer?] = []
    /// The keys or elements with another value, in order.
    package private(set) var modified: [UnsafeRawBufferPointer?] = []

    /// An entry of a map, or an element of a set, which has no value.
    struct Entry {
        var key: UnsafeRawBufferPointer?
        var value: UnsafeRawBufferPointer?
    }

    /// A stored part of a set or map.
    struct Chunk: Hashable {
        /// The number of an out-of-line collection's chunk; nil for a collection in its row.
        var number: UInt32?
        /// Its elements, see ``LeafView``.
        var bytes: UnsafeRawBufferPointer

        static func == (a: Chunk, b: Chunk) -> Bool {
            a.number == b.number && ElementBytes(a.bytes) == ElementBytes(b.bytes)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }

        /// The chunks of a property's value.
        static func all(
            of field: Field, _ storage: FieldStorage, _ source: any OverflowSource
        ) -> [Chunk] {
            if field.isNull { return [] }
            guard field.isOutOfLine else { return [Chunk(number: nil, bytes: field.heap)] }
            var chunks: [Chunk] = []
            _ = field.overflow.flatMap { OverflowTree($0, storage, source) }?.forEachChunk(from: 0)
            {
                number, bytes, _ in
                chunks.append(Chunk(number: number, bytes: bytes))
                return true
            }
            return chunks
        }
    }

    /// The maximum number of elements that are compared.
    package static let countMax = 100_000

    package var isEmpty: Bool { removed.isEmpty && inserted.isEmpty && modified.isEmpty }

    /// Compares two states of a set or map. Of an out-of-line collection only the chunks that differ are read.
    ///
    /// - `old`, `new`: The results of ``Chunk/all(of:_:_:)``.
    /// - `isChanged`: Whether an object has changed to which an equal element leads. Every element is read then. Nil for elements
    ///   that lead nowhere.
    /// - Returns: nil if more than ``countMax`` elements have to be read.
    init?(
        from old: [Chunk], to new: [Chunk], _ storage: FieldStorage,
        isChanged: ((UnsafeRawBufferPointer) -> Bool)? = nil
    ) {
        var (before, after) = (old, new)
        if isChanged == nil {
            let same = Set(before).intersection(after)
            before.removeAll(where: same.contains)
            after.removeAll(where: same.contains)
        }
        guard let old = Self.entries(before, storage), let new = Self.entries(after, storage) else {
            return nil
        }
        self.init(from: old, to: new, isChanged: isChanged)
    }

    private static func entries(_ chunks: [Chunk], _ storage: FieldStorage) -> [Entry]? {
        let leaves = chunks.map { LeafView($0.bytes, storage) }
        guard leaves.reduce(0, { $0 + $1.count }) <= countMax else { return nil }
        return leaves.flatMap { leaf in
            (0..<leaf.count).map { index in
                let value = leaf.values.isNull(index) ? nil : leaf.values.bytes(index)
                return leaf.keys.map { Entry(key: $0.bytes(index), value: value) }
                    ?? Entry(key: value, value: value)
            }
        }
    }

    /// Compares entries with unique keys. Cost: linear.
    init(from old: [Entry], to new: [Entry], isChanged: ((UnsafeRawBufferPointer) -> Bool)?) {
        var left: [ElementBytes: ElementBytes] = [:]
        for entry in old { left[ElementBytes(entry.key)] = ElementBytes(entry.value) }
        for entry in new {
            guard let value = left.removeValue(forKey: ElementBytes(entry.key)) else {
                inserted.append(entry.key)
                continue
            }
            let isSame = value == ElementBytes(entry.value)
            if !isSame || entry.value.map({ isChanged?($0) ?? false }) ?? false {
                modified.append(entry.key)
            }
        }
        for entry in old where left[ElementBytes(entry.key)] != nil { removed.append(entry.key) }
    }
}

/// The stored bytes of an element, or of a map's key, as a key of tables; nil is null. Valid while the transaction is open in
/// which they were read.
struct ElementBytes: Hashable {
    var bytes: UnsafeRawBufferPointer?

    init(_ bytes: UnsafeRawBufferPointer?) { self.bytes = bytes }

    static func == (a: ElementBytes, b: ElementBytes) -> Bool {
        guard let x = a.bytes, let y = b.bytes else { return a.bytes == nil && b.bytes == nil }
        // Bytes that have not changed between two transactions often lie in one place.
        return x.count == y.count && (x.baseAddress == y.baseAddress || compareKeys(x, y) == 0)
    }

    func hash(into hasher: inout Hasher) {
        if let bytes { hasher.combine(bytes: bytes) }
    }
}

extension StoredCollection {
    /// Returns the stored bytes of each element, nil for null. Valid as long as the view in which they are read.
    ///
    /// - `budget`: Ends the reading early if it fails; nil for no budget.
    package func elementBytes(within budget: Budget?) -> [UnsafeRawBufferPointer?] {
        var elements: [UnsafeRawBufferPointer?] = []
        elements.reserveCapacity(count)
        forEach(within: budget) { part, offset, _ in
            elements.append(part.isNull(offset) ? nil : part.bytes(offset))
            return true
        }
        return elements
    }
}
