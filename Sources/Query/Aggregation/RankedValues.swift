import ObjectModel
import Rows

/// A percentile of numbers, by linear interpolation between the two next to its rank: (n − 1) · percent / 100, from 0.
///
/// Of ints, floats and doubles it is a double, of decimals and the numbers among `mixed` values a decimal.
final class RankedValues: CollectedValues {
    private let percent: Double
    private let isDecimal: Bool
    private var doubles: [Double] = []
    private var decimals: [Decimal128] = []

    init(_ storage: ElementStorage, percent: Double) {
        self.percent = percent
        isDecimal = storage == .decimal || storage == .mixed
        super.init(storage)
    }

    override func add(_ address: UnsafeRawPointer, _ byteCount: Int) {
        guard let number = Number(address, byteCount, storage), !number.isNaN else { return }
        if isDecimal { decimals.append(number.decimal) } else { doubles.append(number.double) }
    }

    override var byteCount: Int { doubles.capacity * 8 + decimals.capacity * 16 }

    override var result: AggregateState.Result {
        let count = doubles.count + decimals.count
        guard count > 0 else { return .none }
        let rank = Double(count - 1) * percent / 100
        let index = min(Int(rank), count - 1)
        let next = min(index + 1, count - 1)
        let share = rank - Double(index)
        let number: Number
        if isDecimal {
            decimals.sort { $0.ordinal < $1.ordinal }
            let (low, high) = (decimals[index], decimals[next])
            let step = (high - low) * Decimal128(rounding: share, digitCount: 15)
            // Of infinities that are alike there is no difference.
            number = .decimal(share == 0 || step.kind == .nan ? low : low + step)
        } else {
            doubles.sort()
            let (low, high) = (doubles[index], doubles[next])
            let step = (high - low) * share
            if share == 0 || low == high {
                number = .double(low)
            } else {
                number = .double(step.isFinite ? low + step : low * (1 - share) + high * share)
            }
        }
        return number.stored
    }
}
