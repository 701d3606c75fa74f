import Bytes
import Glibc
import Rows

/// Codes of texts and of other values that are compared by their bytes.
final class TextGroupCoder: GroupCoder {
    private let storage: ElementStorage
    /// The texts, by code, where they stand in chunks; that of null stands nowhere.
    private var texts = UnsafeMutablePointer<UnsafeRawBufferPointer>.allocate(capacity: 32)
    private var textCount = 0
    /// Where a code may be looked for: its hash above it; all bits set for none. Twice as many as there is room for texts.
    private var slots = UnsafeMutablePointer<UInt64>.allocate(capacity: 64)
    private var slotCount = 64
    private var nullCode: UInt32?

    init(_ reference: ColumnReference, _ storage: ElementStorage) {
        self.storage = storage
        slots.initialize(repeating: .max, count: slotCount)
        super.init(reference)
    }

    deinit {
        texts.deallocate()
        slots.deallocate()
    }

    override func makePart() -> GroupCoder { TextGroupCoder(reference, storage) }

    override var count: Int { textCount }

    override var byteCount: Int { slotCount * 16 }

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
        return (0..<part.textCount).map { code in
            if part.nullCode == UInt32(truncatingIfNeeded: code) { return codeOfNull() }
            let text = part.texts[code]
            return self.code(of: text, TextChunk.hash(text))
        }
    }

    override func append(_ code: Int, to buffer: ByteBuffer) {
        if nullCode == UInt32(truncatingIfNeeded: code) {
            return OrderedKey.appendNull(to: buffer)
        }
        OrderedKey.append(stored: texts[code], element: storage, to: buffer)
    }

    private func append(_ text: UnsafeRawBufferPointer) -> UInt32 {
        if textCount * 2 == slotCount { grow() }
        texts[textCount] = text
        textCount += 1
        return UInt32(truncatingIfNeeded: textCount - 1)
    }

    private func codeOfNull() -> UInt32 {
        let code = nullCode ?? append(UnsafeRawBufferPointer(start: nil, count: 0))
        nullCode = code
        return code
    }

    @inline(__always)
    private func code(of text: UnsafeRawBufferPointer, _ hash: UInt32) -> UInt32 {
        var slot = Int(hash) & (slotCount - 1)
        while slots[slot] != .max {
            if slots[slot] >> 32 == UInt64(hash) {
                let code = UInt32(truncatingIfNeeded: slots[slot])
                if Self.isEqual(texts[Int(code)], text) { return code }
            }
            slot = (slot + 1) & (slotCount - 1)
        }
        return add(text, hash)
    }

    @inline(never)
    private func add(_ text: UnsafeRawBufferPointer, _ hash: UInt32) -> UInt32 {
        let code = append(text)
        enter(UInt64(hash) << 32 | UInt64(code))
        return code
    }

    private func enter(_ entry: UInt64) {
        var slot = Int(entry >> 32) & (slotCount - 1)
        while slots[slot] != .max { slot = (slot + 1) & (slotCount - 1) }
        slots[slot] = entry
    }

    @inline(__always)
    private static func isEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        guard a.count == b.count, let first = a.baseAddress, let second = b.baseAddress else {
            return a.count == b.count
        }
        return memcmp(first, second, a.count) == 0
    }

    private func grow() {
        let (oldTexts, oldSlots, oldCount) = (texts, slots, slotCount)
        slotCount *= 2
        texts = .allocate(capacity: slotCount / 2)
        texts.update(from: oldTexts, count: textCount)
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: .max, count: slotCount)
        for slot in 0..<oldCount where oldSlots[slot] != .max { enter(oldSlots[slot]) }
        oldTexts.deallocate()
        oldSlots.deallocate()
    }
}
