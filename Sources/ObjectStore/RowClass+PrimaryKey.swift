import HoldfastBytes
import HoldfastRows
import HoldfastStorage

extension RowClass {
    /// Whether a row has the primary key that is given as an ``OrderedKey``; false where the class has none.
    ///
    /// - `buffer`: Is overwritten; the given key must not lie in it.
    func has(_ primaryKey: UnsafeRawBufferPointer, in row: RowView, buffer: ByteBuffer) -> Bool {
        guard let member = primaryKeyIndex else { return false }
        let own = buffer.making {
            OrderedKey.append(field(member, in: row), members[member].storage.element, to: $0)
        }
        return compareKeys(own, primaryKey) == 0
    }
}
