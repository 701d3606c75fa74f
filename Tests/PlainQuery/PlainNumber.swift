import HoldfastObjectModel

/// A number of any kind as its decimal digits, so that numbers of different kinds are compared exactly.
///
/// The value is 0.d₁d₂d₃… × 10^exponent; no digits are zero.
struct PlainNumber {
    private enum Size: Int { case nan, leastInfinity, finite, greatestInfinity }

    private var size = Size.finite
    private var isNegative = false
    private var digits: [UInt8] = []
    private var exponent = 0

    /// Whether it is no number.
    var isNaN: Bool { size == .nan }

    /// The number in a value; nil for other values.
    init?(_ value: Value) {
        switch value {
        case .int(let value): self.init(text: String(value))
        case .double(let value): self.init(text: Self.exactText(value))
        case .float(let value): self.init(text: Self.exactText(Double(value)))
        case .decimal(let value): self.init(text: value.description)
        default: return nil
        }
    }

    /// A double with all its digits.
    private static func exactText(_ value: Double) -> String {
        guard value.isFinite, value != 0 else { return "\(value)" }
        // m × 2^e, and for a negative e m × 5^-e × 10^e.
        var significand = value.significandBitPattern
        var power = Int(value.exponentBitPattern) - 1075
        if value.exponentBitPattern == 0 { power += 1 } else { significand |= 1 << 52 }
        while power < 0, significand % 2 == 0 {
            significand /= 2
            power += 1
        }
        var limbs: [UInt64] = []
        while significand > 0 {
            limbs.append(significand % limb)
            significand /= limb
        }
        let (factor, step): (UInt64, Int) = power < 0 ? (1_220_703_125, 13) : (1 << 30, 30)
        var left = abs(power)
        while left > 0 {
            let taken = min(left, step)
            multiply(&limbs, by: taken == step ? factor : power < 0 ? five(taken) : 1 << taken)
            left -= taken
        }
        var text = String(limbs.last ?? 0)
        for limb in limbs.dropLast().reversed() {
            let part = String(limb)
            text += String(repeating: "0", count: 9 - part.utf8.count) + part
        }
        return "\(value < 0 ? "-" : "")\(text)E\(min(power, 0))"
    }

    private static let limb: UInt64 = 1_000_000_000

    private static func five(_ power: Int) -> UInt64 {
        (0..<power).reduce(1) { product, _ in product * 5 }
    }

    private static func multiply(_ limbs: inout [UInt64], by factor: UInt64) {
        var carry: UInt64 = 0
        for index in limbs.indices {
            let product = limbs[index] * factor + carry
            limbs[index] = product % limb
            carry = product / limb
        }
        while carry > 0 {
            limbs.append(carry % limb)
            carry /= limb
        }
    }

    /// A number as it is written: digits with a point and an exponent, or the name of another one.
    private init(text: String) {
        var rest = Substring(text)
        if rest.first == "-" {
            isNegative = true
            rest.removeFirst()
        }
        switch rest.first {
        case "N", "n":
            size = .nan
            return
        case "I", "i":
            size = isNegative ? .leastInfinity : .greatestInfinity
            return
        default: break
        }
        var pointPlace: Int?
        while let next = rest.utf8.first, next != 0x45, next != 0x65 {
            rest.removeFirst()
            if next == 0x2E { pointPlace = digits.count } else { digits.append(next - 0x30) }
        }
        exponent = (Int(rest.dropFirst()) ?? 0) + (pointPlace ?? digits.count)
        let zeroCount = digits.prefix { $0 == 0 }.count
        digits.removeFirst(zeroCount)
        exponent -= zeroCount
        while digits.last == 0 { digits.removeLast() }
    }

    private var isZero: Bool { digits.isEmpty }

    /// Less than 0, 0 or more: NaN is less than all other numbers and equals itself.
    static func order(_ a: PlainNumber, _ b: PlainNumber) -> Int {
        guard a.size == .finite, b.size == .finite else { return a.size.rawValue - b.size.rawValue }
        let (x, y) = (a.isZero ? 0 : a.isNegative ? -1 : 1, b.isZero ? 0 : b.isNegative ? -1 : 1)
        guard x == y, x != 0 else { return x - y }
        if a.exponent != b.exponent { return a.exponent < b.exponent ? -x : x }
        if a.digits == b.digits { return 0 }
        return a.digits.lexicographicallyPrecedes(b.digits) ? -x : x
    }
}
