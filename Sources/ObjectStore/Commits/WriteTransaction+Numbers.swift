import Bytes
import ObjectModel
import Rows
import Storage

extension WriteTransaction {
    /// The number that a new object of a class gets as its primary key: one above all that the class's
    /// objects have had since it numbers them, and above those that were there before.
    ///
    /// The number counts as used once it is mapped (``mapPrimaryKey(_:to:)``).
    ///
    /// - Throws: ``StoreError`` `.numbersExhausted` when the type of the key has no greater one.
    func nextNumber(_ rowClass: RowClass) throws(StoreError) -> Int64 {
        let range = rowClass.primaryKeyRange ?? 0...0
        let used = try greatestNumber(rowClass)
        guard used < range.upperBound else {
            throw .numbersExhausted(
                className: rowClass.definition.name, property: rowClass.definition.primaryKey ?? "",
                limit: range.upperBound)
        }
        return used + 1
    }

    /// Notes that the primary key that was looked up last is in use, in a class that numbers its objects
    /// or did so before. Cost for other classes: a look at the counters.
    func noteNumber(_ rowClass: RowClass) throws(StoreError) {
        var state = try classState(rowClass)
        guard rowClass.numbersKeys || state.greatestNumber != nil, rowClass.primaryKeyRange != nil
        else { return }
        let key = mapKeyBuffer.bytes
        guard let number = Self.number(ofKey: key) else { return }
        let used = try greatestNumber(rowClass)
        guard number > used || state.greatestNumber == nil else { return }
        state.greatestNumber = max(number, used)
        try setClassState(rowClass, state)
    }

    /// The greatest number in use so far: the counter, else what the primary keys say that were stored
    /// before the class numbered its objects.
    private func greatestNumber(_ rowClass: RowClass) throws(StoreError) -> Int64 {
        if let number = try classState(rowClass).greatestNumber { return number }
        let buffer = ByteBuffer(capacity: 16)
        StoreKey.appendPrimaryKeyPrefix(rowClass, to: buffer)
        let range = KeyRange(prefix: buffer.array)
        var greatest: Int64 = 0
        do throws(StorageError) {
            // What the group itself has added comes in order too, and its counter is there once it has
            // added anything while the class numbers its objects.
            try group.snapshot.scan(range, reversed: true, expecting: 1) { key, _ in
                greatest = max(greatest, Self.number(ofKey: key) ?? 0)
                return false
            }
        } catch {
            throw .storage(error)
        }
        return greatest
    }

    /// The number in the key of a primary key; nil for null and for keys of other types.
    private static func number(ofKey key: UnsafeRawBufferPointer) -> Int64? {
        // Tag, class, and the number in its order-preserving form: 01 and eight bytes.
        guard key.count == 14, key[5] == 1 else { return nil }
        let ordered = UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 6, as: UInt64.self))
        return Int64(bitPattern: ordered ^ 1 << 63)
    }
}
