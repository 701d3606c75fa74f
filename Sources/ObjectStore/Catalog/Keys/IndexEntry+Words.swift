import HoldfastBytes
import HoldfastRows
import HoldfastText

/// Entries of full-text indexes: the index's number, a word and the object key as one key, with an empty
/// value. Words are cut to ``WordSet/wordByteCountMax`` and have no zero byte, so that one ends them; the
/// entries of one word stand in the order of object keys.
extension IndexEntry {
    /// Reads the words of the value that a row has for an indexed property; none when it is null, and for no row.
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

    /// Appends what the entries of a word begin with: all but the object key.
    static func append(
        _ index: SearchIndex, word: UnsafeRawBufferPointer, to buffer: ByteBuffer
    ) {
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
