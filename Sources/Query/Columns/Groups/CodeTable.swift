/// Numbers and their codes: how many different ones came before each. One thread at a time uses it.
final class CodeTable {
    /// The numbers, by code.
    private(set) var numbers: [Int64] = []
    private var slots = [UInt32](repeating: .max, count: 64)

    /// Bytes of memory that it takes.
    var byteCount: Int { numbers.capacity * 8 + slots.count * 4 }

    /// The code of a number, which gets the next one if it has none.
    func code(of number: Int64) -> UInt32 {
        let mask = slots.count - 1
        var slot = Self.hash(number) & mask
        while slots[slot] != .max {
            if numbers[Int(slots[slot])] == number { return slots[slot] }
            slot = (slot + 1) & mask
        }
        let code = UInt32(truncatingIfNeeded: numbers.count)
        numbers.append(number)
        slots[slot] = code
        if numbers.count * 2 > slots.count { grow() }
        return code
    }

    /// A code of its own for what is no number.
    func codeOfNothing() -> UInt32 {
        numbers.append(0)
        return UInt32(truncatingIfNeeded: numbers.count - 1)
    }

    private static func hash(_ number: Int64) -> Int {
        let product = UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: product ^ product >> 32)
    }

    private func grow() {
        let old = slots
        slots = [UInt32](repeating: .max, count: old.count * 2)
        let mask = slots.count - 1
        for code in old where code != .max {
            var slot = Self.hash(numbers[Int(code)]) & mask
            while slots[slot] != .max { slot = (slot + 1) & mask }
            slots[slot] = code
        }
    }
}
