import HoldfastBytes
import HoldfastRows

extension RowClass {
    /// Whether a row has the primary key that is given as an ``OrderedKey``; false if the class has no primary key.
    ///
    /// - `buffer`: Is overwritten; the given key must not lie in it.
    func has(_ primaryKey: UnsafeRawBufferPointer, in row: RowView, buffer: ByteBuffer) -> Bool {
        guard let member = primaryKeyIndex else { return false }
        let own = buffer.making {
            OrderedKey.append(field(member, in: row), members[member].storage.element, to: $0)
        }
        return compareKeys(own, primaryKey) == 0
    }

    /// The bytes of an ``OrderedKey`` of a primary key as the change log has it (``ChangeRecord/primaryKey``); nil if the class
    /// has no primary key.
    func orderedKey(ofTagged primaryKey: [UInt8]) -> [UInt8]? {
        guard let member = primaryKeyIndex else { return nil }
        let encoded = ByteBuffer(capacity: 64)
        primaryKey.withUnsafeBytes { bytes in
            guard bytes.first == 1 else { return OrderedKey.appendNull(to: encoded) }
            OrderedKey.append(
                stored: UnsafeRawBufferPointer(rebasing: bytes.dropFirst()),
                element: members[member].storage.element, to: encoded)
        }
        return encoded.array
    }
}
