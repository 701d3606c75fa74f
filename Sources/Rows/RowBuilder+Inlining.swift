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
    ///   - byteCountMax: Where the buffer has more, nothing out of line is read any more, and what it has is no value.
    package func append(
        inlining bytes: UnsafeRawBufferPointer, _ storage: FieldStorage, of rowClass: RowClass?,
        _ schema: RowSchema, _ source: any OverflowSource, to buffer: ByteBuffer,
        atMost byteCountMax: Int
    ) {
        guard storage.element == .embedded, let rowClass else { return buffer.append(bytes) }
        if storage.shape == .single {
            if let row = RowView(bytes) {
                append(inlining: row, rowClass, schema, source, to: buffer, atMost: byteCountMax)
            }
            return
        }
        let leaf = LeafView(bytes, storage)
        leaf.append(Array(0..<leaf.count), to: buffer, isNull: { leaf.values.isNull($0) }) {
            guard let row = RowView(leaf.values.bytes($0)) else { return }
            append(inlining: row, rowClass, schema, source, to: buffer, atMost: byteCountMax)
        }
    }

    private func append(
        inlining stored: RowView, _ rowClass: RowClass, _ schema: RowSchema,
        _ source: any OverflowSource, to buffer: ByteBuffer, atMost byteCountMax: Int
    ) {
        guard stored.holdsOverflow, buffer.count <= byteCountMax else {
            return buffer.append(stored.bytes)
        }
        let row = OpenRow(rowClass, version: stored.version, in: buffer)
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            let field = rowClass.field(member, in: stored)
            if field.isNull || !compiled.storage.isInHeap {
                copy(field, to: member, row)
                continue
            }
            let offset = buffer.count
            let value = StoredField(field, compiled.storage, source)
            withExtendedLifetime(value) {
                append(
                    inlining: value.bytes, compiled.storage,
                    of: compiled.isEmbedded ? schema.classes[compiled.classIndex] : nil, schema,
                    source, to: buffer, atMost: byteCountMax)
            }
            row.close(member, from: offset)
        }
        row.finish(holdsOverflow: false, hiding: rowClass.hidden(in: stored))
    }
}
