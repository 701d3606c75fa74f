/// Numbers and their codes: how many different ones came before each. One thread at a time uses it.
final class CodeTable {
    /// The numbers, by code.
    private(set) var numbers = UnsafeMutablePointer<Int64>.allocate(capacity: 32)
    /// How many codes there are.
    private(set) var count = 0
    /// The codes by the hashes of their numbers; all bits set for none. Twice as many as there is room for numbers.
    private var slots = UnsafeMutablePointer<UInt32>.allocate(capacity: 64)
    private var slotCount = 64
    /// Keeps secret where numbers will stand from those who choose them.
    private let seed = UInt64.random(in: 0 ... .max)

    init() { slots.initialize(repeating: .max, count: slotCount) }

    deinit {
        numbers.deallocate()
        slots.deallocate()
    }

    /// Bytes of memory that it takes.
    var byteCount: Int { slotCount * 8 }

    /// The code of a number, which gets the next one if it has none.
    @inline(__always)
    func code(of number: Int64) -> UInt32 {
        var slot = hash(number) & (slotCount - 1)
        while slots[slot] != .max {
            if numbers[Int(slots[slot])] == number { return slots[slot] }
            slot = (slot + 1) & (slotCount - 1)
        }
        return add(number)
    }

    /// Sets the codes of many numbers, of which those without a code get the next ones.
    ///
    /// The first codes that are met are read for all numbers before any is compared: what has to come from memory comes
    /// side by side.
    func encode(_ numbers: UnsafeBufferPointer<Int64>, into codes: UnsafeMutablePointer<UInt32>) {
        for index in numbers.indices {
            codes[index] = slots[hash(numbers[index]) & (slotCount - 1)]
        }
        for index in numbers.indices {
            let number = numbers[index]
            if codes[index] == .max || self.numbers[Int(codes[index])] != number {
                codes[index] = code(of: number)
            }
        }
    }

    @inline(never)
    private func add(_ number: Int64) -> UInt32 {
        let code = append(number)
        enter(code)
        return code
    }

    /// The number of a group with a code.
    @inline(__always)
    static func pair(_ group: UInt32, _ code: UInt32) -> Int64 {
        Int64(group) << 32 | Int64(code)
    }

    /// The group and the code that have a number.
    static func parts(of pair: Int64) -> (group: Int, code: Int) {
        (Int(pair >> 32), Int(UInt32(truncatingIfNeeded: pair)))
    }

    /// A code of its own for what is no number.
    func codeOfNothing() -> UInt32 { append(0) }

    private func append(_ number: Int64) -> UInt32 {
        if count * 2 == slotCount { grow() }
        numbers[count] = number
        count += 1
        return UInt32(truncatingIfNeeded: count - 1)
    }

    private func enter(_ code: UInt32) {
        var slot = hash(numbers[Int(code)]) & (slotCount - 1)
        while slots[slot] != .max { slot = (slot + 1) & (slotCount - 1) }
        slots[slot] = code
    }

    @inline(__always)
    private func hash(_ number: Int64) -> Int {
        // Every bit of the number counts for the last ones: those of whole doubles are all 0.
        var bits = UInt64(bitPattern: number) ^ seed
        bits ^= bits >> 32
        bits &*= 0xD6E8_FEB8_6659_FD93
        bits ^= bits >> 32
        bits &*= 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: bits ^ bits >> 32)
    }

    private func grow() {
        let (oldNumbers, oldSlots, oldCount) = (numbers, slots, slotCount)
        slotCount *= 2
        numbers = .allocate(capacity: slotCount / 2)
        numbers.update(from: oldNumbers, count: count)
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: .max, count: slotCount)
        for slot in 0..<oldCount where oldSlots[slot] != .max { enter(oldSlots[slot]) }
        oldNumbers.deallocate()
        oldSlots.deallocate()
    }
}
