import CHoldfastMemory

/// Texts and their codes: how many different ones came before each. One thread at a time uses it.
final class TextTable {
    /// The texts, by code.
    private(set) var texts = UnsafeMutablePointer<HashedText>.allocate(capacity: 32)
    /// How many codes there are.
    private(set) var count = 0
    /// The hashes of texts and below them their codes, by hash. Twice as many as there is room for texts.
    private var slots = UnsafeMutablePointer<UInt64>.allocate(capacity: 64)
    private var slotCount = 64
    private let found = UnsafeMutablePointer<HashedText>.allocate(capacity: countMax)

    /// Holds copies of the texts, where these do not stay.
    private let copies: ByteArena?

    private static let empty = UInt64.max
    /// The most texts that are encoded at once.
    static let countMax = ColumnBatch.countMax

    /// - `copies`: Whether texts may go after they were encoded.
    init(copies: Bool = false) {
        self.copies = copies ? ByteArena() : nil
        slots.initialize(repeating: Self.empty, count: slotCount)
    }

    deinit {
        texts.deallocate()
        slots.deallocate()
        found.deallocate()
    }

    /// Bytes of memory that it takes.
    var byteCount: Int {
        slotCount * (8 + MemoryLayout<HashedText>.stride / 2) + (copies?.byteCount ?? 0)
    }

    /// Sets the codes of some texts, at most ``countMax``; those that have none get the next ones.
    func encode(
        _ wanted: UnsafePointer<HashedText>, _ count: Int,
        into codes: UnsafeMutablePointer<UInt32>
    ) {
        let (slots, texts, found, mask) = (slots, texts, found, slotCount - 1)
        // What is far away in memory is asked for a while before it is looked at, so that the processor waits for many of
        // them at once.
        for index in 0..<count { shim_prefetch(slots + (Int(wanted[index].hash) & mask)) }
        for index in 0..<count {
            let hash = wanted[index].hash
            var position = Int(hash) & mask
            while slots[position] != Self.empty, Self.hash(slots[position]) != hash {
                position = (position + 1) & mask
            }
            codes[index] = UInt32(truncatingIfNeeded: slots[position])
            shim_prefetch(texts + Int(codes[index]))
        }
        for index in 0..<count {
            found[index] = codes[index] == .max ? .none : texts[Int(codes[index])]
            shim_prefetch(found[index].start)
        }
        for index in 0..<count where !found[index].isEqual(to: wanted[index]) {
            codes[index] = code(of: wanted[index])
        }
    }

    private func code(of text: HashedText) -> UInt32 {
        var position = Int(text.hash) & (slotCount - 1)
        while slots[position] != Self.empty {
            let code = UInt32(truncatingIfNeeded: slots[position])
            if Self.hash(slots[position]) == text.hash,
                texts[Int(code)].isEqual(to: text)
            {
                return code
            }
            position = (position + 1) & (slotCount - 1)
        }
        if count * 2 == slotCount {
            grow()
            position = Self.place(text.hash, in: slots, slotCount)
        }
        texts[count] = copies.map { text.copied(to: $0) } ?? text
        slots[position] = UInt64(text.hash) << 32 | UInt64(count)
        count += 1
        return UInt32(truncatingIfNeeded: count - 1)
    }

    @inline(__always)
    private static func hash(_ slot: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: slot >> 32) }

    private static func place(
        _ hash: UInt32, in slots: UnsafeMutablePointer<UInt64>, _ slotCount: Int
    ) -> Int {
        var position = Int(hash) & (slotCount - 1)
        while slots[position] != empty { position = (position + 1) & (slotCount - 1) }
        return position
    }

    private func grow() {
        let (oldTexts, oldSlots, oldCount) = (texts, slots, slotCount)
        slotCount *= 2
        texts = .allocate(capacity: slotCount / 2)
        texts.update(from: oldTexts, count: count)
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: Self.empty, count: slotCount)
        let (slots, slotCount) = (slots, slotCount)
        for index in 0..<oldCount where oldSlots[index] != Self.empty {
            slots[Self.place(Self.hash(oldSlots[index]), in: slots, slotCount)] = oldSlots[index]
        }
        oldTexts.deallocate()
        oldSlots.deallocate()
    }
}
