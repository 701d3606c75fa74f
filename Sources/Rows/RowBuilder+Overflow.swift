import HoldfastBytes

extension RowBuilder {
    /// Ends a value in the heap that came from a client: one that is too large leaves the row, unless it is an embedded
    /// object.
    ///
    /// - `replaced`: The row whose place this one takes.
    func closeHeap(_ member: Int, _ row: OpenRow, from offset: Int, over replaced: RowView?) {
        let (rowClass, buffer) = (row.rowClass, row.buffer)
        let storage = rowClass.members[member].storage
        let most =
            storage.shape == .single ? limits.textByteCountMax : limits.collectionByteCountMax
        guard buffer.count - offset > most, let overflow, member != rowClass.primaryKeyIndex,
            storage != FieldStorage(.single, .embedded)
        else { return row.close(member, from: offset) }
        reference.removeAll()
        overflow.moveOut(
            UnsafeRawBufferPointer(rebasing: buffer.bytes[offset...]), storage,
            over: replaced.map { rowClass.field(member, in: $0) }, reference: reference)
        buffer.truncate(to: offset)
        buffer.append(reference.bytes)
        closeReference(member, row, from: offset)
    }

    func closeReference(_ member: Int, _ row: OpenRow, from offset: Int) {
        row.close(member, from: offset, flag: RowLayout.overflowFlag)
        referenceCount += 1
    }

    /// Counts rows with references among embedded rows that are copied as they are.
    func countReferences(in bytes: UnsafeRawBufferPointer, _ storage: FieldStorage) {
        if storage.shape == .single {
            if RowView(bytes)?.holdsOverflow ?? false { referenceCount += 1 }
            return
        }
        let rows = LeafView(bytes, storage).values
        for index in 0..<rows.count where RowView(rows.bytes(index))?.holdsOverflow ?? false {
            referenceCount += 1
        }
    }
}
