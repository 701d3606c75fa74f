import Bytes

extension RowBuilder {
    /// Ends a value in the heap that came from a client: one that is too large leaves the row.
    ///
    /// - `replaced`: The row whose place this one takes.
    func closeHeap(
        _ member: Int, _ rowClass: RowClass, from offset: Int, rowStart: Int,
        over replaced: RowView?, in buffer: ByteBuffer
    ) {
        let slot = slotOffset(rowClass, member, rowStart)
        let byteCount = buffer.count - offset
        let storage = rowClass.members[member].storage
        let most =
            storage.shape == .single ? limits.textByteCountMax : limits.collectionByteCountMax
        guard byteCount > most, let overflow, member != rowClass.primaryKeyIndex else {
            return closeHeap(slot: slot, from: offset, rowStart: rowStart, in: buffer)
        }
        reference.removeAll()
        overflow.moveOut(
            UnsafeRawBufferPointer(rebasing: buffer.bytes[offset...]), storage,
            over: replaced.map { rowClass.field(member, in: $0) }, reference: reference)
        buffer.truncate(to: offset)
        buffer.append(reference.bytes)
        closeReference(slot: slot, from: offset, rowStart: rowStart, in: buffer)
    }

    func closeReference(slot: Int, from offset: Int, rowStart: Int, in buffer: ByteBuffer) {
        buffer.store(UInt32(offset - rowStart), at: slot)
        buffer.store(UInt32(buffer.count - offset) | RowLayout.overflowFlag, at: slot + 4)
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
