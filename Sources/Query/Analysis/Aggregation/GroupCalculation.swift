import HoldfastObjectModel
import HoldfastRows
import HoldfastText

/// The calculation from a value for a ``GroupKey``. One thread at a time uses it.
final class GroupCalculation {
    /// The part of a value that counts.
    let part: GroupKey.Part
    private let storage: ElementStorage
    private let clock: ZoneClock?
    private let offset: Int64
    /// Seconds that dates can be moved by without an overflow.
    private static let secondsMax = Int64.max / 2

    /// Nil where the value itself counts.
    init?(_ key: GroupKey) {
        part = key.part
        storage = key.path.type.storage
        switch part {
        case .value: return nil
        case .date(_, .named(let name)): (clock, offset) = (ZoneClock(name), 0)
        case .date(_, .offset(let seconds)): (clock, offset) = (nil, seconds)
        case .bucket: (clock, offset) = (nil, 0)
        }
    }

    /// The number that a stored value gives; null for null, at nil.
    func number(_ address: UnsafeRawPointer?, _ byteCount: Int) -> Number? {
        guard let address else { return nil }
        switch part {
        case .value: return nil
        case .date(let part, _):
            return .int(part.value(at: localSeconds(at: address.storedDate.seconds)))
        case .bucket(let width):
            guard let value = Number(address, byteCount, storage) else { return nil }
            return Self.bound(value, width)
        }
    }

    /// A time in seconds since 1970, by the clock that is meant.
    @inline(__always)
    func localSeconds(at seconds: Int64) -> Int64 {
        let seconds = min(max(seconds, -Self.secondsMax), Self.secondsMax)
        return seconds + (clock?.offset(at: seconds) ?? offset)
    }

    private static func bound(_ value: Number, _ width: Value) -> Number {
        switch (value, width) {
        case (.int(let value), .int(let width)): return .int(bound(value, width))
        case (.decimal(let value), .decimal(let width)):
            let count = (value / width).floor
            return .decimal(count.kind == .finite ? count * width : value)
        case (_, .double(let width)): return .double(bound(value.double, width))
        default: return value
        }
    }

    /// The greatest multiple of a width that is not above a value; the least int where no int is that small.
    static func bound(_ value: Int64, _ width: Int64) -> Int64 {
        let rest = value % width
        let (bound, overflows) = value.subtractingReportingOverflow(rest < 0 ? rest + width : rest)
        return overflows ? .min : bound
    }

    /// The greatest multiple of a width that is not above a value.
    static func bound(_ value: Double, _ width: Double) -> Double {
        let bound = (value / width).rounded(.down) * width
        // Widths that are too small for the value make no ranges. The sum makes 0 of −0.
        return bound.isFinite ? bound + 0 : value
    }
}
