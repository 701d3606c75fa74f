import HoldfastBytes
import HoldfastGeometry
import HoldfastRows
import HoldfastText

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

/// Entries of geographic indexes: the index's number, the S2 leaf cell of the point, eight bytes big-endian,
/// and the object key as one key, with an empty value. The points of each larger cell follow each other.
/// A value that is no point, or is not on the Earth, has no entry.
extension IndexEntry {
    /// Appends the prefix of the entries of some cells, or of one cell if all bytes are stated.
    static func append(_ index: SearchIndex, cell: UInt64, to buffer: ByteBuffer) {
        StoreKey.appendIndexPrefix(index.number, to: buffer)
        buffer.append(big: cell)
    }

    /// Appends the key of the entry that a row has for an indexed point.
    ///
    /// - `source`: Reads out-of-line coordinates.
    /// - Returns: False, with nothing appended, if the row has no value.
    static func append(
        _ rowClass: RowClass, point index: SearchIndex, _ key: UInt64, _ row: RowView,
        _ rows: RowSchema, _ source: any OverflowSource, to buffer: ByteBuffer
    ) -> Bool {
        guard let embedded = rowClass.embedded(index.member, in: row),
            let point = rows.classes[rowClass.members[index.member].classIndex].point(
                in: embedded, source),
            let cell = GeoPoint(longitude: point.longitude, latitude: point.latitude).leafCell
        else { return false }
        append(index, cell: cell, to: buffer)
        buffer.append(big: key)
        return true
    }
}

/// Entries of full-text indexes: the index's number, a word and the object key as one key, with an empty
/// value. Words are cut to ``WordSet/wordByteCountMax`` and have no zero byte, so that one ends them; the
/// entries of one word stand in the order of object keys.
extension IndexEntry {
    /// Reads the words of a row's value of an indexed property; empty for null, and without a row.
    ///
    /// - `source`: Reads the value if it is out of line.
    static func readWords(
        _ rowClass: RowClass, _ index: SearchIndex, _ row: RowView?, _ source: any OverflowSource,
        into words: WordSet
    ) {
        let field = row.map { rowClass.field(index.member, in: $0) }
        words.read(
            field.flatMap { $0.isNull ? nil : $0.text(source) }
                ?? UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Appends the prefix of the entries of a word: everything except the object key.
    static func append(_ index: SearchIndex, word: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        StoreKey.appendIndexPrefix(index.number, to: buffer)
        buffer.append(word)
        buffer.append(0 as UInt8)
    }

    /// Appends the key of the entry of a word.
    static func append(
        _ index: SearchIndex, word: UnsafeRawBufferPointer, _ key: UInt64, to buffer: ByteBuffer
    ) {
        append(index, word: word, to: buffer)
        buffer.append(big: key)
    }
}

/// Entries of unique values. A property's entries are in its index; a group's entries stand under the group's own number, with a
/// 16-byte hash of its values' `OrderedKey`s in the place of the value. An object with a null in a group has no entry for it.
extension IndexEntry {
    /// Appends the common prefix of the entries of a row's unique value: everything except the object key.
    ///
    /// - `source`: Reads out-of-line values.
    /// - `isWhole`: Whether the whole content of a list or map in a `mixed` property is appended, and not only the part in its
    ///   index: values are equal exactly if the bytes are. A group's values are always whole.
    /// - Returns: False, with nothing of use appended, when the row has a null there, which is not compared.
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

    /// Whether a row has a list or map as a unique value, which the index does not distinguish further.
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

    /// Appends the key of a row's entry for a unique group; false if the row has no entry.
    static func append(
        _ rowClass: RowClass, group: UniqueKey, _ key: UInt64, _ row: RowView,
        _ source: any OverflowSource, to buffer: ByteBuffer
    ) -> Bool {
        guard appendValue(rowClass, group, row, source, to: buffer) else { return false }
        buffer.append(big: key)
        return true
    }
}
