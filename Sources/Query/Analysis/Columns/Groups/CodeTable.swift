import CHoldfastMemory

/// Values and their codes: how many different ones came before each. One thread at a time uses it.
final class CodeTable<Value: CodedValue> {
    private(set) var values = UnsafeMutablePointer<Value>.allocate(capacity: 32)
    private(set) var count = 0
    /// The hashes of values and below them their codes, by hash. Twice as many as there is room for values.
    private var slots = UnsafeMutablePointer<UInt64>.allocate(capacity: 64)
    private var slotCount = 64
    private let seed = UInt64.random(in: 0 ... .max)
    /// Makes a value that stays of one that may not; nil where all stay.
    private let keep: ((Value) -> Value)?

    private static var empty: UInt64 { .max }

    init(keep: ((Value) -> Value)? = nil) {
        self.keep = keep
        slots.initialize(repeating: Self.empty, count: slotCount)
    }

    deinit {
        values.deallocate()
        slots.deallocate()
    }

    var byteCount: Int { slotCount * (8 + MemoryLayout<Value>.stride / 2) }

    /// Sets the codes of many values. Values without a code get the next ones.
    ///
    /// Distant memory is prefetched a while before it is read, so that the processor waits for many reads at once.
    func encode(
        _ wanted: UnsafePointer<Value>, _ count: Int, into codes: UnsafeMutablePointer<UInt32>
    ) {
        let (slots, values, mask, seed) = (slots, values, slotCount - 1, seed)
        for index in 0..<count {
            shim_prefetch(slots + (Int(wanted[index].tableHash(seed)) & mask))
        }
        for index in 0..<count {
            let hash = wanted[index].tableHash(seed)
            var position = Int(hash) & mask
            while slots[position] != Self.empty, Self.hash(slots[position]) != hash {
                position = (position + 1) & mask
            }
            codes[index] = UInt32(truncatingIfNeeded: slots[position])
            shim_prefetch(values + Int(codes[index]))
        }
        for index in 0..<count where codes[index] != .max {
            shim_prefetch(values[Int(codes[index])].start)
        }
        for index in 0..<count
        where codes[index] == .max || !self.values[Int(codes[index])].isEqual(to: wanted[index]) {
            codes[index] = code(of: wanted[index])
        }
    }

    /// The code of a value. A value without a code gets the next one.
    @inline(__always)
    func code(of value: Value) -> UInt32 {
        let hash = value.tableHash(seed)
        var position = Int(hash) & (slotCount - 1)
        while slots[position] != Self.empty {
            let code = UInt32(truncatingIfNeeded: slots[position])
            if Self.hash(slots[position]) == hash, values[Int(code)].isEqual(to: value) {
                return code
            }
            position = (position + 1) & (slotCount - 1)
        }
        return add(value, hash)
    }

    @inline(never)
    private func add(_ value: Value, _ hash: UInt32) -> UInt32 {
        let code = append(keep?(value) ?? value)
        slots[place(hash)] = UInt64(hash) << 32 | UInt64(code)
        return code
    }

    /// A code of its own that no value has; `placeholder` stands among the values for it.
    func codeOfNothing(_ placeholder: Value) -> UInt32 { append(placeholder) }

    private func append(_ value: Value) -> UInt32 {
        if count * 2 == slotCount { grow() }
        values[count] = value
        count += 1
        return UInt32(truncatingIfNeeded: count - 1)
    }

    @inline(__always)
    private static func hash(_ slot: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: slot >> 32) }

    /// The first empty slot for a hash.
    private func place(_ hash: UInt32) -> Int {
        var position = Int(hash) & (slotCount - 1)
        while slots[position] != Self.empty { position = (position + 1) & (slotCount - 1) }
        return position
    }

    private func grow() {
        let (oldValues, oldSlots, oldCount) = (values, slots, slotCount)
        slotCount *= 2
        values = .allocate(capacity: slotCount / 2)
        values.update(from: oldValues, count: count)
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: Self.empty, count: slotCount)
        for index in 0..<oldCount where oldSlots[index] != Self.empty {
            slots[place(Self.hash(oldSlots[index]))] = oldSlots[index]
        }
        oldValues.deallocate()
        oldSlots.deallocate()
    }
}

/// A value that a ``CodeTable`` gives a code to.
protocol CodedValue: BitwiseCopyable {
    /// Equal for equal values.
    ///
    /// - `seed`: A secret, so that a client that chooses values can't choose their slots, unless they are hashed already.
    func tableHash(_ seed: UInt64) -> UInt32

    /// Where its bytes begin; nil where it has all of them itself.
    var start: UnsafeRawPointer? { get }

    func isEqual(to other: Self) -> Bool
}

extension Int64: CodedValue {
    @inline(__always)
    func tableHash(_ seed: UInt64) -> UInt32 {
        // Every bit of the number affects the last ones: the last bits of whole doubles are all 0.
        var bits = UInt64(bitPattern: self) ^ seed
        bits ^= bits >> 32
        bits &*= 0xD6E8_FEB8_6659_FD93
        bits ^= bits >> 32
        bits &*= 0xD6E8_FEB8_6659_FD93
        return UInt32(truncatingIfNeeded: bits ^ bits >> 32)
    }

    var start: UnsafeRawPointer? { nil }

    @inline(__always)
    func isEqual(to other: Int64) -> Bool { self == other }
}
