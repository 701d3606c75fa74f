import HoldfastObjectModel

/// A number that compares exactly with numbers of all kinds. NaN counts as a number, below all others.
///
/// It consists of the greatest double that is not above the number and, unless that is the number itself, the number as a
/// decimal. A number that is not a double is an int or a decimal, and both are exact as decimals.
package struct MixedNumber: Hashable, Comparable, Sendable {
    /// The double, as ``OrderedKey/orderedBits(_:)-(Double)`` has it.
    package let floor: UInt64
    /// 0 if the number is that double, otherwise its ``Decimal128/ordinal``.
    package let ordinal: UInt128

    private init(below floor: Double, _ ordinal: UInt128) {
        self.floor = OrderedKey.orderedBits(floor)
        self.ordinal = ordinal
    }

    /// A double, or a float converted to double.
    package init(_ value: Double) { self.init(below: value, 0) }

    package init(_ value: Int64) {
        let nearest = Double(value)
        if Int64(exactly: nearest) == value {
            self.init(nearest)
            return
        }
        let isAbove = nearest >= 0x1p63 || Int64(nearest) > value
        self.init(below: isAbove ? nearest.nextDown : nearest, Decimal128(value).ordinal)
    }

    package init(_ value: Decimal128) {
        let (double, isExact) = value.doubleFloor
        self.init(below: double, isExact ? 0 : value.ordinal)
    }

    /// A number as a value; nil for values of other kinds.
    package init?(_ value: Value) {
        switch value {
        case .int(let value): self.init(value)
        case .double(let value): self.init(value)
        case .float(let value): self.init(Double(value))
        case .decimal(let value): self.init(value)
        default: return nil
        }
    }

    /// Lower numbers come first.
    package static func < (a: MixedNumber, b: MixedNumber) -> Bool {
        (a.floor, a.ordinal) < (b.floor, b.ordinal)
    }
}
