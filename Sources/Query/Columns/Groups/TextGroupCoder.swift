import Bytes
import Rows

/// Codes of texts and of other values that are compared by their bytes.
final class TextGroupCoder: GroupCoder {
    private let storage: ElementStorage
    /// How many Unicode scalars of each text count, from its beginning; nil for the whole.
    private let prefixCount: Int?
    private let table = TextTable()
    private let texts = UnsafeMutablePointer<HashedText>.allocate(capacity: ColumnBatch.countMax)

    init(_ reference: ColumnReference, _ storage: ElementStorage, prefixCount: Int? = nil) {
        self.storage = storage
        self.prefixCount = prefixCount
        super.init(reference)
    }

    deinit { texts.deallocate() }

    override func makePart() -> GroupCoder {
        TextGroupCoder(reference, storage, prefixCount: prefixCount)
    }

    override var count: Int { table.count }

    override var byteCount: Int { table.byteCount }

    override func encode(
        _ chunk: ColumnChunk?, _ positions: UnsafeBufferPointer<Int32>,
        into codes: UnsafeMutablePointer<UInt32>
    ) {
        if let chunk = chunk as? TextChunk {
            chunk.read(positions, into: texts)
            if let prefixCount {
                for index in 0..<positions.count { texts[index].cut(to: prefixCount) }
            }
        } else {
            texts.update(repeating: .null, count: positions.count)
        }
        table.encode(texts, positions.count, into: codes)
    }

    override func codes(of part: GroupCoder) -> [UInt32] {
        guard let part = part as? TextGroupCoder else { return [] }
        var codes = [UInt32](repeating: 0, count: part.count)
        codes.withUnsafeMutableBufferPointer { codes in
            guard let start = codes.baseAddress else { return }
            for first in stride(from: 0, to: codes.count, by: TextTable.countMax) {
                table.encode(
                    part.table.texts + first, min(TextTable.countMax, codes.count - first),
                    into: start + first)
            }
        }
        return codes
    }

    override func append(_ code: Int, to buffer: ByteBuffer) {
        let text = table.texts[code]
        if text.start == nil { return OrderedKey.appendNull(to: buffer) }
        OrderedKey.append(stored: text.bytes, element: storage, to: buffer)
    }

    override func order(_ a: Int, _ b: Int) -> Int {
        let (first, second) = (table.texts[a], table.texts[b])
        guard storage == .string || storage == .data, first.start != nil, second.start != nil,
            max(first.bytes.count, second.bytes.count) <= OrderedKey.textByteCountMax / 2
        else { return super.order(a, b) }
        // Sort bytes have each byte as one or two, and are cut where they are too many.
        return first.order(to: second)
    }
}
