import HoldfastBytes
import HoldfastRows

/// Codes of texts and of other values that are compared by their bytes.
final class TextCoding: ValueCoding {
    /// The meaning of the bytes.
    enum Form: Equatable {
        /// Values as they are stored, of texts so many Unicode scalars from their beginning, or all at nil.
        case texts(ElementStorage, prefixCount: Int?)
        case sortBytes
    }

    let form: Form
    private let table: TextTable
    private let texts = UnsafeMutablePointer<HashedText>.allocate(capacity: ColumnBatch.countMax)

    init(_ form: Form) {
        self.form = form
        // Chunks of a column stay as long as it is bound; others are used once.
        if case .texts = form { table = TextTable() } else { table = TextTable(copies: true) }
    }

    deinit { texts.deallocate() }

    func makePart() -> TextCoding { TextCoding(form) }

    var count: Int { table.count }

    var byteCount: Int { table.byteCount }

    func encode(
        _ chunk: ColumnChunk?, _ positions: UnsafeBufferPointer<Int32>,
        into codes: UnsafeMutablePointer<UInt32>
    ) {
        if let chunk = chunk as? TextChunk {
            chunk.read(positions, into: texts)
            if case .texts(_, let prefixCount?) = form {
                for index in 0..<positions.count { texts[index].cut(to: prefixCount) }
            }
        } else {
            texts.update(repeating: .null, count: positions.count)
        }
        table.encode(texts, positions.count, into: codes)
    }

    /// The code of some bytes.
    func code(of bytes: UnsafeRawBufferPointer) -> UInt32 {
        var text = HashedText(
            start: bytes.baseAddress, count: bytes.count, hash: TextChunk.hash(bytes))
        var code: UInt32 = 0
        table.encode(&text, 1, into: &code)
        return code
    }

    func code(_ code: Int, of other: TextCoding) -> UInt32 {
        var own: UInt32 = 0
        table.encode(other.table.texts + code, 1, into: &own)
        return own
    }

    func append(_ code: Int, to buffer: ByteBuffer) {
        let text = table.texts[code]
        if text.start == nil { return OrderedKey.appendNull(to: buffer) }
        guard case .texts(let storage, _) = form else { return buffer.append(text.bytes) }
        OrderedKey.append(stored: text.bytes, element: storage, to: buffer)
    }

    func order(_ a: Int, _ b: Int) -> Int? {
        let (first, second) = (table.texts[a], table.texts[b])
        guard first.start != nil, second.start != nil else { return nil }
        if case .texts(let storage, _) = form {
            // Sort bytes have each byte as one or two, and are cut where they are too many.
            guard storage == .string || storage == .data,
                max(first.bytes.count, second.bytes.count) <= OrderedKey.textByteCountMax / 2
            else { return nil }
        }
        return first.order(to: second)
    }
}
