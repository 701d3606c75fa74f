import HoldfastBytes

extension RowBuilder {
    /// Appends the row that an object had, in the current layout: some values as they were, all others as they are.
    ///
    /// - Parameters:
    ///   - former: By position, 0 for null, or 1 and the stored bytes (``Field/appendTagged(_:to:)``).
    ///   - present: The row that the object has; without one all else is null.
    ///   - rowClass: The class of the object.
    ///   - version: The version that the row says it is of.
    ///   - buffer: Takes the row.
    package func append(
        _ former: [Int: [UInt8]], over present: RowView?, _ rowClass: RowClass, version: UInt64,
        to buffer: ByteBuffer
    ) {
        let referencesBefore = referenceCount
        let row = OpenRow(rowClass, version: version, in: buffer)
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            guard let tagged = former[member] else {
                if let present {
                    copy(rowClass.field(member, in: present), to: member, row)
                } else {
                    row.setNull(member)
                }
                continue
            }
            let (storage, offset) = (compiled.storage, buffer.count)
            tagged.withUnsafeBytes { tagged in
                let bytes = UnsafeRawBufferPointer(rebasing: tagged.dropFirst())
                if tagged.first == 1, storage.isInHeap {
                    buffer.append(bytes)
                    row.close(member, from: offset)
                } else if tagged.first == 1, bytes.count == storage.slotByteCount,
                    let base = bytes.baseAddress
                {
                    buffer.store(bytes: base, byteCount: bytes.count, at: row.slot(member))
                } else {
                    row.setNull(member)
                }
            }
        }
        row.finish(holdsOverflow: referenceCount != referencesBefore)
    }
}
