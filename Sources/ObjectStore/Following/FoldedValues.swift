import Bytes
import Query
import Rows

/// The values that objects which changed have at one place, in order: streams that missed the same changes find in it
/// which of them may match, each by a binary search.
package struct FoldedValues: Sendable {
    private struct Entry {
        /// Where the value's key begins in ``keys``.
        let start: Int
        let byteCount: Int
        /// Where the object stands in ``FoldedChanges/order``.
        let position: Int
    }

    private var keys: [UInt8] = []
    private var entries: [Entry] = []

    /// Reads the values as they are now. Cost: that of reading and sorting them.
    package init(
        at place: ValuePlace, of classIndex: Int, _ changes: FoldedChanges,
        in transaction: ReadTransaction
    ) {
        let value = PlacedValue()
        for (position, identity) in changes.order.enumerated()
        where identity.classIndex == classIndex {
            guard let row = transaction.row(classIndex: classIndex, key: identity.key) else {
                continue
            }
            value.read(place, from: row, classIndex, in: transaction)
            let bytes = value.keyBytes
            entries.append(
                Entry(start: keys.count, byteCount: bytes.count, position: position))
            keys.append(contentsOf: bytes)
        }
        keys.withUnsafeBytes { keys in
            entries.sort { compareKeys(Self.key(of: $0, keys), Self.key(of: $1, keys)) < 0 }
        }
    }

    /// The positions of the objects whose values lie in a range; nil where there are more than some. Cost: log n and the
    /// hits.
    package func positions(in range: OrderedKeyRange, countMax: Int) -> [Int]? {
        keys.withUnsafeBytes { keys in
            func first(from bound: [UInt8]) -> Int {
                bound.withUnsafeBytes { bound in
                    partitionPoint(entries.count) {
                        compareKeys(Self.key(of: entries[$0], keys), bound) < 0
                    }
                }
            }
            let lower = first(from: range.lower)
            let upper = max(lower, first(from: range.upper))
            return upper - lower > countMax ? nil : entries[lower..<upper].map(\.position)
        }
    }

    private static func key(
        of entry: Entry, _ keys: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: keys[entry.start..<entry.start + entry.byteCount])
    }
}
