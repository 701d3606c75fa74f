import HoldfastBytes
import HoldfastRows

/// Index entries: property, value and object key as one key, with an empty value.
enum IndexEntry {
    /// Appends the key of the entry that `row` has for the indexed property `member`.
    ///
    /// - `source`: Reads the value if it is out of line.
    static func append(
        _ rowClass: RowClass, _ member: Int, _ key: UInt64, _ row: RowView,
        _ source: any OverflowSource, to buffer: ByteBuffer
    ) {
        StoreKey.appendIndexPrefix(rowClass.members[member].number, to: buffer)
        OrderedKey.append(
            rowClass.field(member, in: row), rowClass.members[member].storage.element, source,
            to: buffer)
        buffer.append(big: key)
    }
}
