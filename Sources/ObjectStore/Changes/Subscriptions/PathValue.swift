import HoldfastBytes
import HoldfastQuery
import HoldfastRows

/// The value at a place of an object, in the forms that a ``ConditionIndex`` looks up. Reused from object to object.
///
/// Benchmark row: `filters`.
final class PathValue {
    private let key = ByteBuffer(capacity: 64)
    /// The value if it is a string; valid as long as the row that it was read from.
    private(set) var text: UnsafeRawBufferPointer?

    /// Whether it is null, or there is no object.
    private(set) var isNull = true
    private(set) var isThere = false

    /// The value's bytes in the form of ``OrderedKey``.
    var keyBytes: UnsafeRawBufferPointer { key.bytes }
    /// A hash that is equal for equal values.
    var hash: UInt64 { key.bytes.tableHash() }
    /// A number in the order of the values. Different values may have the same one.
    var order: UInt64 { Self.order(key.bytes) }

    /// Reads the value at a place.
    ///
    /// - `row`: The object where the steps begin; nil if it is not there.
    /// - `first`: The first step that is taken from the row.
    func read(
        _ place: IndexedPath, from row: RowView?, step first: Int = 0, _ classIndex: Int,
        in transaction: ReadTransaction
    ) {
        key.removeAll()
        text = nil
        isNull = true
        isThere = row != nil
        guard let start = row else { return }
        guard let row = transaction.row(behind: place.steps[first...], from: start) else {
            return OrderedKey.appendNull(to: key)
        }
        let rowClass = transaction.rows.classes[place.steps.last?.toClass ?? classIndex]
        let field = rowClass.field(place.member, in: row)
        let element = rowClass.members[place.member].storage.element
        OrderedKey.append(field, element, transaction, to: key)
        isNull = field.isNull
        if element == .string, !isNull { text = field.text(transaction) }
    }

    /// Whether another has the same value.
    func equals(_ other: PathValue) -> Bool {
        isThere == other.isThere && compareKeys(key.bytes, other.key.bytes) == 0
    }

    /// The first eight bytes after the byte that says whether a value is null.
    static func order(_ key: UnsafeRawBufferPointer) -> UInt64 {
        if key.count >= 9 {
            return UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
        }
        var order: UInt64 = 0
        for offset in 1...8 { order = order << 8 | UInt64(offset < key.count ? key[offset] : 0) }
        return order
    }
}
