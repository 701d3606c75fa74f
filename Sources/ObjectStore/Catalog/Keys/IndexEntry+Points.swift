import HoldfastBytes
import HoldfastGeometry
import HoldfastRows

/// Entries of geographic indexes: the index's number, the S2 leaf cell of the point, eight bytes big-endian,
/// and the object key as one key, with an empty value. The points of each larger cell follow each other.
/// A value that is no point, or is not on the Earth, has no entry.
extension IndexEntry {
    /// Appends what the entries of some cells begin with, or of one where all bytes are stated.
    static func append(_ index: SearchIndex, cell: UInt64, to buffer: ByteBuffer) {
        StoreKey.appendIndexPrefix(index.number, to: buffer)
        buffer.append(big: cell)
    }

    /// Appends the key of the entry that a row has for an indexed point.
    ///
    /// - `source`: Reads out-of-line coordinates.
    /// - Returns: False, with nothing appended, when the row has none.
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
