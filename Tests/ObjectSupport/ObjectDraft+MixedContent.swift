import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

extension ObjectDraft {
    /// States a `mixed` value, or a collection of such values.
    func stateMixed(_ member: Int, _ content: Content, _ schema: RowSchema) {
        let start = references.count
        switch content {
        case .value(let value):
            let bytes = ByteBuffer(capacity: 64)
            append(value, member, schema, base: 0, to: MixedWriter(bytes))
            set(member, mixed: MixedView(bytes.bytes), from: start)
        case .values(let values):
            let builder = ScalarCollectionBuilder()
            builder.reset(.mixed)
            for value in values {
                let bytes = ByteBuffer(capacity: 64)
                append(value, member, schema, base: builder.byteCount, to: MixedWriter(bytes))
                value == .null ? builder.appendNull() : builder.append(text: bytes.bytes)
            }
            set(member, mixed: builder, from: start)
        case .entries(let entries):
            let first = self.entries.count
            for (var key, content) in entries.inDraftOrder {
                key.withUTF8 { key in
                    let key = UnsafeRawBufferPointer(key)
                    guard case .value(let value) = content else { return addEntry(key, .removed) }
                    let bytes = ByteBuffer(capacity: 64)
                    let start = references.count
                    append(value, member, schema, base: 0, to: MixedWriter(bytes))
                    addEntry(key, mixed: MixedView(bytes.bytes), from: start)
                }
            }
            setEntries(member, from: first)
        default: preconditionFailure("not mixed values")
        }
    }

    private func append(
        _ value: Value, _ member: Int, _ schema: RowSchema, base: Int, to writer: MixedWriter
    ) {
        switch value {
        case .link(let className, let key):
            guard let target = schema.rowClass(named: className) else {
                preconditionFailure("no such class")
            }
            let place = MixedLinkPosition(
                offset: base + writer.buffer.count, classIndex: target.index)
            if target.primaryKeyIndex == nil, case .int(let number) = key {
                addReference(
                    member, element: nil, mixed: place, objectKey: UInt64(bitPattern: number))
            } else {
                addReference(member, element: nil, mixed: place) { OrderedKey.append(key, to: $0) }
            }
            writer.link(classNumber: target.number, key: 0)
        case .list(let values):
            let table = writer.begin(.list, count: values.count)
            for (index, element) in values.enumerated() {
                append(element, member, schema, base: base, to: writer)
                writer.close(index, of: table)
            }
        case .map(let entries):
            let table = writer.begin(.map, count: entries.count)
            for (index, entry) in entries.enumerated() {
                writer.buffer.append(entry.key)
                writer.close(2 * index, of: table)
                append(entry.value, member, schema, base: base, to: writer)
                writer.close(2 * index + 1, of: table)
            }
        default: writer.value(value)
        }
    }
}
