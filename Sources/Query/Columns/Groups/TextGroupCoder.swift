import Bytes
import Glibc
import Rows

/// Codes of texts and of other values that are compared by their bytes.
final class TextGroupCoder: GroupCoder {
    /// What a text is found by, without a look at its bytes elsewhere unless it is long.
    private struct Slot {
        var code = UInt32.max
        var hash: UInt32 = 0
        var count = 0
        var bytes: (UInt64, UInt64, UInt64) = (0, 0, 0)

        /// Texts of so many bytes stand here whole.
        static let wholeCountMax = 24

        /// Takes all bytes of a short text, the first 16 and the last 8 of a longer one.
        @inline(__always)
        init(_ text: UnsafeRawBufferPointer, _ hash: UInt32, code: UInt32) {
            self.code = code
            self.hash = hash
            count = text.count
            guard let start = text.baseAddress else { return }
            if count >= 8 {
                bytes.0 = start.loadUnaligned(as: UInt64.self)
                bytes.1 = (start + min(8, count - 8)).loadUnaligned(as: UInt64.self)
                bytes.2 = (start + count - 8).loadUnaligned(as: UInt64.self)
            } else if count >= 4 {
                bytes.0 = UInt64(start.loadUnaligned(as: UInt32.self))
                bytes.1 = UInt64((start + count - 4).loadUnaligned(as: UInt32.self))
            } else if count > 0 {
                bytes.0 =
                    UInt64(text[0]) | UInt64(text[count / 2]) << 8 | UInt64(text[count - 1]) << 16
            }
        }

        init() {}
    }

    private let storage: ElementStorage
    /// The texts, by code, where they stand in chunks; that of null stands nowhere.
    private var texts = UnsafeMutablePointer<UnsafeRawBufferPointer>.allocate(capacity: 32)
    private var textCount = 0
    /// Twice as many as there is room for texts.
    private var slots = UnsafeMutablePointer<Slot>.allocate(capacity: 64)
    private var slotCount = 64
    private var nullCode: UInt32?

    init(_ reference: ColumnReference, _ storage: ElementStorage) {
        self.storage = storage
        slots.initialize(repeating: Slot(), count: slotCount)
        super.init(reference)
    }

    deinit {
        texts.deallocate()
        slots.deallocate()
    }

    override func makePart() -> GroupCoder { TextGroupCoder(reference, storage) }

    override var count: Int { textCount }

    override var byteCount: Int { slotCount * (MemoryLayout<Slot>.stride + 8) }

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
        let wanted = Slot(text, hash, code: 0)
        var position = Int(hash) & (slotCount - 1)
        while slots[position].code != .max {
            let slot = slots[position]
            if slot.hash == hash, slot.count == wanted.count, slot.bytes == wanted.bytes,
                text.count <= Slot.wholeCountMax || Self.isEqual(texts[Int(slot.code)], text)
            {
                return slot.code
            }
            position = (position + 1) & (slotCount - 1)
        }
        let code = append(text)
        enter(Slot(text, hash, code: code))
        return code
    }

    private func enter(_ slot: Slot) {
        var position = Int(slot.hash) & (slotCount - 1)
        while slots[position].code != .max { position = (position + 1) & (slotCount - 1) }
        slots[position] = slot
    }

    /// Whether two texts of the same length are equal.
    private static func isEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        guard let first = a.baseAddress, let second = b.baseAddress else { return true }
        return memcmp(first, second, a.count) == 0
    }

    private func grow() {
        let (oldTexts, oldSlots, oldCount) = (texts, slots, slotCount)
        slotCount *= 2
        texts = .allocate(capacity: slotCount / 2)
        texts.update(from: oldTexts, count: textCount)
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: Slot(), count: slotCount)
        for slot in 0..<oldCount where oldSlots[slot].code != .max { enter(oldSlots[slot]) }
        oldTexts.deallocate()
        oldSlots.deallocate()
    }
}
