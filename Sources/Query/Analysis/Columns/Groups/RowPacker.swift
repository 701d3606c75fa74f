import HoldfastBytes
import HoldfastRows

/// Packs a path's values of one object after the other into chunks, which are used once: the way from rows to
/// batches. One thread at a time uses it.
final class RowPacker: ValueSink {
    /// How values are packed.
    enum Form {
        /// As a column would have them.
        case packed(ColumnForm)
        /// As sort bytes; NaN is null.
        case sortBytes
    }

    private let direct: (rowClass: RowClass, member: Int, width: Int)?
    private let walker: PathWalker
    private let values: ValueCollector
    private let storage: ElementStorage
    /// Makes sort bytes, where these are packed.
    private let key: KeySink?
    private let buffer = ByteBuffer(capacity: 64)
    private let meter = ColumnMeter()

    /// - `path`: Leads to one value.
    init(_ path: ValuePath, _ form: Form, schema: RowSchema) {
        walker = PathWalker(path, schema: schema)
        storage = path.type.storage
        switch form {
        case .packed(let form):
            values = ValueCollector(form, textByteCountMax: .max)
            key = nil
        case .sortBytes:
            values = ValueCollector(.texts(.data), textByteCountMax: .max)
            key = KeySink(storage)
        }
        if let member = path.ownMember, let width = storage.fixedByteCount {
            direct = (schema.classes[path.lastClass], member, width)
        } else {
            direct = nil
        }
    }

    /// Appends an object's value.
    func append(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) {
        if let direct {
            let field = direct.rowClass.field(direct.member, in: row)
            _ = receive(field.isNull ? nil : field.slot, direct.width)
            return
        }
        let count = values.count
        walker.walk(row, key, source, self)
        if values.count == count { appendNull() }
    }

    func appendNull() { values.appendNull() }

    /// Whether the chunk has as many values as a batch, or as many bytes as are worth packing at once.
    var isFull: Bool {
        values.count >= ColumnBatch.countMax || values.textByteCount > Self.byteCountMax
    }

    private static let byteCountMax = 1 << 20

    /// Makes the chunk and begins the next one.
    func seal() -> ColumnChunk {
        defer { values.removeAll() }
        return values.seal(meter)
    }

    override func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool {
        guard let address else {
            values.appendNull()
            return false
        }
        guard let key else {
            values.append(address, count)
            return false
        }
        _ = key.receive(address, count)
        if key.value.storage == nil || Number(address, count, storage)?.isNaN ?? false {
            values.appendNull()
            return false
        }
        buffer.removeAll()
        key.append(to: buffer)
        values.append(buffer.bytes.baseAddress ?? address, buffer.count)
        return false
    }
}
