import HoldfastBytes
import HoldfastRows

/// Entries of what is unique. A property's are those of its index; a group's stand under the group's own
/// number, with a 16-byte hash of its values' `OrderedKey`s in the place of the value. An object with a
/// null in a group has no entry for it.
extension IndexEntry {
    /// Appends the entries' common beginning for what a row has for a unique key: all but the object key.
    ///
    /// - `source`: Reads out-of-line values.
    /// - `isWhole`: Whether all that a list or map holds in a `mixed` property is appended, and not only what
    ///   its index has: values are equal just when the bytes are. A group's always are such.
    /// - Returns: False, with nothing of use appended, when the row has a null there, which is not
    ///   compared.
    static func appendValue(
        _ rowClass: RowClass, _ unique: UniqueKey, _ row: RowView, _ source: any OverflowSource,
        isWhole: Bool = false, to buffer: ByteBuffer
    ) -> Bool {
        StoreKey.appendIndexPrefix(unique.number, to: buffer)
        let start = buffer.count
        for member in unique.members {
            let field = rowClass.field(member, in: row)
            if field.isNull { return false }
            let element = rowClass.members[member].storage.element
            if element == .link {
                buffer.append(big: field.load(UInt64.self))
            } else if element == .mixed, isWhole || unique.isGroup {
                OrderedKey.appendWhole(MixedView(field.text(source)), to: buffer)
            } else {
                OrderedKey.append(field, element, source, to: buffer)
            }
        }
        guard unique.isGroup else { return true }
        let hash = SipHash128.hash(UnsafeRawBufferPointer(rebasing: buffer.bytes[start...]))
        buffer.truncate(to: start)
        buffer.append(big: hash.high)
        buffer.append(big: hash.low)
        return true
    }

    /// Whether a row has a list or map for what is unique, of which an index says nothing more.
    static func holdsElements(
        _ rowClass: RowClass, _ unique: UniqueKey, _ row: RowView, _ source: any OverflowSource
    ) -> Bool {
        guard !unique.isGroup, let member = unique.members.first,
            rowClass.members[member].storage.element == .mixed
        else { return false }
        let field = rowClass.field(member, in: row)
        guard !field.isNull else { return false }
        let kind = MixedView(field.text(source)).kind
        return kind == .list || kind == .map
    }

    /// Appends the key of the entry that a row has for a unique group; false when it has none.
    static func append(
        _ rowClass: RowClass, group: UniqueKey, _ key: UInt64, _ row: RowView,
        _ source: any OverflowSource, to buffer: ByteBuffer
    ) -> Bool {
        guard appendValue(rowClass, group, row, source, to: buffer) else { return false }
        buffer.append(big: key)
        return true
    }
}
