import ObjectModel
import Rows
import Text

/// What is calculated from a value for a ``GroupKey``. One thread at a time uses it.
final class GroupCalculation {
    private let part: GroupKey.Part
    private let storage: ElementStorage
    private let clock: ZoneClock?
    /// Seconds that dates can be moved by without an overflow.
    private static let secondsMax = Int64.max / 2

    /// Nil where the value itself counts.
    init?(_ key: GroupKey) {
        part = key.part
        storage = key.path.type.storage
        switch part {
        case .value: return nil
        case .date(_, .named(let name)): clock = ZoneClock(name)
        case .date, .bucket: clock = nil
        }
    }

    /// The number that a stored value gives; null for null, at nil.
    func number(_ address: UnsafeRawPointer?, _ byteCount: Int) -> Number? {
        guard let address else { return nil }
        switch part {
        case .value: return nil
        case .date(let part, let zone):
            let stored = address.storedDate.seconds
            let seconds = min(max(stored, -Self.secondsMax), Self.secondsMax)
            var offset: Int64 = 0
            if case .offset(let fixed) = zone { offset = fixed }
            return .int(part.value(at: seconds + (clock?.offset(at: seconds) ?? offset)))
        case .bucket(let width):
            guard let value = Number(address, byteCount, storage) else { return nil }
            return Self.bound(value, width)
        }
    }

    /// The greatest multiple of a width that is not above a value; the least int where no int is that small.
    private static func bound(_ value: Number, _ width: Value) -> Number {
        switch (value, width) {
        case (.int(let value), .int(let width)):
            let rest = value % width
            let bound = Int128(value) - Int128(rest < 0 ? rest + width : rest)
            return .int(Int64(clamping: bound))
        case (.decimal(let value), .decimal(let width)):
            let count = (value / width).floor
            return .decimal(count.kind == .finite ? count * width : value)
        case (_, .double(let width)):
            let bound = (value.double / width).rounded(.down) * width
            // Widths that are too small for the value make no ranges. The sum makes 0 of −0.
            return .double(bound.isFinite ? bound + 0 : value.double)
        default: return value
        }
    }
}
