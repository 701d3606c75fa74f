import HoldfastBytes
import HoldfastRows

/// Codes of texts and of other values that are compared by their bytes.
final class TextEncoding: ValueEncoding {
    /// The meaning of the bytes.
    enum Form: Equatable {
        /// Values as they are stored, of texts so many Unicode scalars from their beginning, or all at nil.
        case texts(ElementStorage, prefixCount: Int?)
        case sortBytes
    }

    let form: Form
    private let table: CodeTable<HashedText>
    /// Holds copies of the texts, where these do not stay.
    private let copies = ByteArena()
    private let texts = BatchRoom<HashedText>()

    init(_ form: Form) {
        self.form = form
        // Chunks of a column stay as long as it is bound; others are used once.
        if case .texts = form {
            table = CodeTable()
        } else {
            table = CodeTable { [copies] in $0.copied(to: copies) }
        }
    }

    func makePart() -> TextEncoding { TextEncoding(form) }

    var count: Int { table.count }

    var byteCount: Int { table.byteCount + copies.byteCount }

    func encode(
        _ chunk: ColumnChunk?, _ positions: UnsafeBufferPointer<Int32>,
        into codes: UnsafeMutablePointer<UInt32>
    ) {
        if let chunk = chunk as? TextChunk {
            chunk.read(positions, into: texts.start)
            if case .texts(_, let prefixCount?) = form {
                for index in 0..<positions.count { texts.start[index].cut(to: prefixCount) }
            }
        } else {
            texts.start.update(repeating: .null, count: positions.count)
        }
        table.encode(texts.start, positions.count, into: codes)
    }

    /// The code of some bytes.
    func code(of bytes: UnsafeRawBufferPointer) -> UInt32 {
        table.code(
            of: HashedText(
                start: bytes.baseAddress, count: bytes.count, hash: TextChunk.hash(bytes)))
    }

    func codes(_ codes: [UInt32], of other: TextEncoding) -> [UInt32] {
        for (index, code) in codes.enumerated() {
            texts.start[index] = other.table.values[Int(code)]
        }
        return [UInt32](unsafeUninitializedCapacity: codes.count) { own, count in
            if let start = own.baseAddress { table.encode(texts.start, codes.count, into: start) }
            count = codes.count
        }
    }

    func append(_ code: Int, to buffer: ByteBuffer) {
        let text = table.values[code]
        if text.start == nil { return OrderedKey.appendNull(to: buffer) }
        guard case .texts(let storage, _) = form else { return buffer.append(text.bytes) }
        OrderedKey.append(stored: text.bytes, element: storage, to: buffer)
    }

    /// Whether sort bytes have all bytes of a text that columns keep: each as one or two, and too many are cut.
    private func isWhole(_ text: HashedText, _ storage: ElementStorage) -> Bool {
        (storage == .string || storage == .data)
            && text.bytes.count <= OrderedKey.textByteCountMax / 2
    }

    var narrows: Bool {
        if case .texts(let storage, prefixCount: nil) = form {
            storage == .string || storage == .data
        } else {
            false
        }
    }

    func kernel(upTo code: Int) -> ColumnKernel? {
        let last = table.values[code]
        guard narrows, case .texts(let storage, _) = form else { return nil }
        if last.start == nil { return .null }
        guard isWhole(last, storage) else { return nil }
        return ColumnKernel(FixedTest(false, nullResult: true), .textsUpTo(last.bytes))
    }

    func order(_ a: Int, _ b: Int) -> Int? {
        let (first, second) = (table.values[a], table.values[b])
        guard first.start != nil, second.start != nil else { return nil }
        if case .texts(let storage, _) = form {
            guard isWhole(first, storage), isWhole(second, storage) else { return nil }
        }
        return compareKeys(first.bytes, second.bytes)
    }
}
