import Bytes
import Rows

extension WriteTransaction {
    /// The key of the index entry that a row has for an indexed property.
    private func indexKey(_ rowClass: RowClass, _ member: Int, _ key: UInt64, _ row: RowView)
        -> UnsafeRawBufferPointer
    {
        keyBuffer.making {
            IndexEntry.append(rowClass, member, key, row, overflow, to: $0)
        }
    }

    func putIndexEntry(_ rowClass: RowClass, _ member: Int, _ key: UInt64, _ row: RowView) {
        overlay.put(indexKey(rowClass, member, key, row))
    }

    func removeIndexEntry(_ rowClass: RowClass, _ member: Int, _ key: UInt64, _ row: RowView) {
        overlay.remove(indexKey(rowClass, member, key, row))
    }
}
