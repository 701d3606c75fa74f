import HoldfastBytes

extension RowBuilder {
    /// Appends a value in the heap, or a collection, with everything that rows of embedded objects in it keep out of line.
    ///
    /// - Parameters:
    ///   - bytes: The whole of it; does not lie in the buffer.
    ///   - storage: How it is stored.
    ///   - rowClass: The class of the embedded objects, if it holds such.
    ///   - schema: That of the class.
    ///   - source: Reads out-of-line values.
    ///   - buffer: Takes the bytes.
    ///   - byteCountMax: What is out of line and would make the buffer longer is not read.
    /// - Returns: Whether all of it was appended.
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
}
