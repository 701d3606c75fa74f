import Bytes
import Glibc
import Rows

/// Codes of texts and of other values that are compared by their bytes.
final class TextGroupCoder: GroupCoder {
    private let storage: ElementStorage
    /// The texts, by code, where they stand in chunks; nil for null.
    private var texts: [UnsafeRawBufferPointer?] = []
    private var hashes: [UInt32] = []
    private var slots = [UInt32](repeating: .max, count: 64)
    private var nullCode: UInt32?

    init(_ reference: ColumnReference, _ storage: ElementStorage) {
        self.storage = storage
        super.init(reference)
    }

    override func makePart() -> GroupCoder { TextGroupCoder(reference, storage) }

    override var count: Int { texts.count }

    override var byteCount: Int { texts.capacity * 20 + slots.count * 4 }

    override func encode(_ batch: ColumnBatch, into codes: UnsafeMutablePointer<UInt32>) {
        let chunk = chunk(of: batch) as? TextChunk
        for index in batch.positions.indices {
            let position = Int(batch.positions[index])
            if let chunk, chunk.nulls?[position] ?? 0 == 0 {
                codes[index] = code(of: chunk.text(position), chunk.hash(position))
            } else {
                codes[index] = codeOfNull()
            }
        }
    }

    override func codes(of part: GroupCoder) -> [UInt32] {
        guard let part = part as? TextGroupCoder else { return [] }
        return zip(part.texts, part.hashes).map { text, hash in
            text.map { code(of: $0, hash) } ?? codeOfNull()
        }
    }

    override func append(_ code: Int, to buffer: ByteBuffer) {
        guard let text = texts[code] else { return OrderedKey.appendNull(to: buffer) }
        OrderedKey.append(stored: text, element: storage, to: buffer)
    }

    private func codeOfNull() -> UInt32 {
        if let nullCode { return nullCode }
        let code = UInt32(truncatingIfNeeded: texts.count)
        texts.append(nil)
        hashes.append(0)
        nullCode = code
        return code
    }

    private func code(of text: UnsafeRawBufferPointer, _ hash: UInt32) -> UInt32 {
        let mask = slots.count - 1
        var slot = Int(hash) & mask
        while slots[slot] != .max {
            let code = Int(slots[slot])
            if hashes[code] == hash, let own = texts[code], Self.isEqual(own, text) {
                return slots[slot]
            }
            slot = (slot + 1) & mask
        }
        let code = UInt32(truncatingIfNeeded: texts.count)
        texts.append(text)
        hashes.append(hash)
        slots[slot] = code
        if texts.count * 2 > slots.count { grow() }
        return code
    }

    private static func isEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        guard a.count == b.count, let first = a.baseAddress, let second = b.baseAddress else {
            return a.count == b.count
        }
        return memcmp(first, second, a.count) == 0
    }

    private func grow() {
        slots = [UInt32](repeating: .max, count: slots.count * 2)
        let mask = slots.count - 1
        for (code, hash) in hashes.enumerated() where texts[code] != nil {
            var slot = Int(hash) & mask
            while slots[slot] != .max { slot = (slot + 1) & mask }
            slots[slot] = UInt32(truncatingIfNeeded: code)
        }
    }
}
