import HoldfastObjectModel
import HoldfastRows

/// Which values number chunks keep, and as which numbers.
enum ColumnNumber {
    /// The number of the stored value at an address; nil for a value without a number.
    @inline(__always)
    static func stored(_ address: UnsafeRawPointer, _ storage: ElementStorage) -> Int64? {
        switch storage {
        case .bool: address.storedBool ? 1 : 0
        case .int: address.storedInt
        case .link: Int64(bitPattern: address.storedLink)
        case .date: nanoseconds(address.storedDate)
        case .double: number(address.storedDouble)
        case .float: number(Double(address.storedFloat))
        default: nil
        }
    }

    /// The number of a double, in the order of doubles with −0 right below 0; nil for NaN.
    @inline(__always)
    static func number(_ value: Double) -> Int64? {
        value.isNaN ? nil : turned(Int64(bitPattern: value.bitPattern))
    }

    /// The double of a number.
    @inline(__always)
    static func double(_ number: Int64) -> Double {
        Double(bitPattern: UInt64(bitPattern: turned(number)))
    }

    /// The number that a double's number stands for where both zeros are one value.
    @inline(__always)
    static func withOneZero(_ number: Int64) -> Int64 { number == -1 ? 0 : number }

    /// Turns the bits of negative doubles round, and back.
    @inline(__always)
    private static func turned(_ bits: Int64) -> Int64 { bits ^ (bits >> 63 & .max) }

    private static let billion: Int64 = 1_000_000_000

    /// A date as nanoseconds since 1970; nil when they do not fit, some 292 years away.
    static func nanoseconds(_ time: Timestamp) -> Int64? {
        guard time.nanoseconds >= 0, time.nanoseconds < billion else { return nil }
        let (product, overflows) = time.seconds.multipliedReportingOverflow(by: billion)
        if overflows { return nil }
        let (sum, carries) = product.addingReportingOverflow(Int64(time.nanoseconds))
        return carries ? nil : sum
    }

    /// The date of a number that ``nanoseconds(_:)`` made.
    static func timestamp(_ value: Int64) -> Timestamp {
        var (seconds, rest) = value.quotientAndRemainder(dividingBy: billion)
        if rest < 0 {
            seconds -= 1
            rest += billion
        }
        return Timestamp(seconds: seconds, nanoseconds: Int32(rest))
    }

    /// Has `body` read the value of a number as a row stores it.
    static func withStored<Result>(
        _ number: Int64, _ storage: ElementStorage, _ body: (UnsafeRawPointer, Int) -> Result
    ) -> Result {
        func lend<Value>(_ value: Value) -> Result {
            withUnsafePointer(to: value) { body(UnsafeRawPointer($0), storage.fixedByteCount ?? 0) }
        }
        switch storage {
        case .date:
            let time = timestamp(number)
            return lend((time.seconds, time.nanoseconds))
        case .double: return lend(double(number))
        case .float: return lend(Float(double(number)))
        default: return lend(number)
        }
    }

    /// The numbers of values with ordinals in a range; nil without any.
    static func range(
        _ ordinals: ClosedRange<UInt128>, _ storage: ElementStorage
    ) -> ClosedRange<Int64>? {
        let (low, high) = (ordinals.lowerBound, ordinals.upperBound)
        switch storage {
        case .int: return int(low)...int(high)
        case .bool: return low > 1 ? nil : Int64(low)...Int64(min(high, 1))
        case .date:
            let first = moment(low, nanosecondsMax: billion)
            let last = moment(high, nanosecondsMax: billion - 1)
            guard first <= last, first <= Int128(Int64.max), last >= Int128(Int64.min) else {
                return nil
            }
            return Int64(max(first, Int128(Int64.min)))...Int64(min(last, Int128(Int64.max)))
        case .double:
            return range(
                UInt64(truncatingIfNeeded: low)...UInt64(truncatingIfNeeded: high),
                from: OrderedKey.orderedBits(-Double.infinity),
                to: OrderedKey.orderedBits(Double.infinity), ComparedValue.double)
        case .float:
            return range(
                UInt32(truncatingIfNeeded: low)...UInt32(truncatingIfNeeded: high),
                from: OrderedKey.orderedBits(-Float.infinity),
                to: OrderedKey.orderedBits(Float.infinity)
            ) { Double(ComparedValue.float($0)) }
        default: return nil
        }
    }

    /// The numbers of the doubles that have ordered bits in a range: below the least there is NaN alone, and above the
    /// greatest nothing.
    private static func range<Bits: Comparable>(
        _ bits: ClosedRange<Bits>, from least: Bits, to greatest: Bits, _ double: (Bits) -> Double
    ) -> ClosedRange<Int64>? {
        guard bits.upperBound >= least, bits.lowerBound <= greatest,
            let low = number(double(max(bits.lowerBound, least))),
            let high = number(double(min(bits.upperBound, greatest)))
        else { return nil }
        // Both zeros are one value with the ordinal of 0. No value has the ordinal of −0.
        let (minusZero, first) = (Int64(-1), low == 0 ? -1 : low)
        let last = high == minusZero ? minusZero - 1 : high
        return first <= last ? first...last : nil
    }

    private static func int(_ ordinal: UInt128) -> Int64 {
        Int64(bitPattern: UInt64(truncatingIfNeeded: ordinal) ^ 1 << 63)
    }

    private static func moment(_ ordinal: UInt128, nanosecondsMax: Int64) -> Int128 {
        let seconds = int(ordinal >> 32)
        let nanoseconds = min(Int64(UInt32(truncatingIfNeeded: ordinal)), nanosecondsMax)
        return Int128(seconds) * Int128(billion) + Int128(nanoseconds)
    }
}
