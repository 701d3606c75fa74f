import HoldfastBytes

extension RowBuilder {
    /// Appends a heap value or collection. Out-of-line values of embedded objects in it are included.
    ///
    /// - Parameters:
    ///   - bytes: The complete value. It must not lie in the buffer.
    ///   - storage: The storage of the value.
    ///   - rowClass: The class of the embedded objects, if there are any.
    ///   - schema: The schema of the class.
    ///   - source: Reads out-of-line values.
    ///   - buffer: The buffer to append to.
    ///   - byteCountMax: The maximum length of the buffer. Out-of-line values that would exceed it are not read.
    /// - Returns: Whether the value was appended completely.
    package func append(
        inlining bytes: UnsafeRawBufferPointer, _ storage: FieldStorage, of rowClass: RowClass?,
        _ schema: RowSchema, _ source: any OverflowSource, to buffer: ByteBuffer,
        atMost byteCountMax: Int
    ) -> Bool {
        guard storage.element == .embedded, let rowClass else {
            buffer.append(bytes)
            return true
        }
        if storage.shape == .single {
            return RowView(bytes).map {
                append(inlining: $0, rowClass, schema, source, to: buffer, atMost: byteCountMax)
            } ?? true
        }
        var isWhole = true
        let leaf = LeafView(bytes, storage)
        leaf.append(Array(0..<leaf.count), to: buffer, isNull: { leaf.values.isNull($0) }) {
            guard let row = RowView(leaf.values.bytes($0)) else { return }
            let isAll = append(
                inlining: row, rowClass, schema, source, to: buffer, atMost: byteCountMax)
            isWhole = isWhole && isAll
        }
        return isWhole
    }

    private func append(
        inlining stored: RowView, _ rowClass: RowClass, _ schema: RowSchema,
        _ source: any OverflowSource, to buffer: ByteBuffer, atMost byteCountMax: Int
    ) -> Bool {
        guard stored.holdsOverflow else {
            buffer.append(stored.bytes)
            return true
        }
        var isWhole = true
        let row = OpenRow(rowClass, version: stored.version, in: buffer)
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            let field = rowClass.field(member, in: stored)
            if field.isNull || !compiled.storage.isInHeap {
                copy(field, to: member, row)
                continue
            }
            let offset = buffer.count
            guard offset + (field.overflow?.byteCount ?? 0) <= byteCountMax else {
                isWhole = false
                continue
            }
            let value = StoredField(field, compiled.storage, source)
            let isAll = withExtendedLifetime(value) {
                append(
                    inlining: value.bytes, compiled.storage,
                    of: compiled.isEmbedded ? schema.classes[compiled.classIndex] : nil, schema,
                    source, to: buffer, atMost: byteCountMax)
            }
            row.close(member, from: offset)
            isWhole = isWhole && isAll
        }
        row.finish(holdsOverflow: false, hiding: rowClass.hidden(in: stored))
        return isWhole
    }

    /// Appends a former row of an object in the current layout: the given former values, and the present values of all other
    /// properties.
    ///
    /// - Parameters:
    ///   - former: The former values by position: 0 for null, or 1 and the stored bytes (``Field/appendTagged(_:to:)``).
    ///   - present: The object's present row; without it all other properties are null.
    ///   - rowClass: The class of the object.
    ///   - version: The version to store in the row.
    ///   - buffer: The buffer to append to.
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
