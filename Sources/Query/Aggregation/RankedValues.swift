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
        guard !decimals.isEmpty else {
            let number = doubles.withUnsafeMutableBufferPointer {
                RankedDoubles($0).percentile(percent)
            }
            return number.map { Number.double($0).stored } ?? .none
        }
        let place = RankedPlace(percent, count: decimals.count)
        decimals.sort { $0.ordinal < $1.ordinal }
        let (low, high) = (decimals[place.index], decimals[place.next])
        let step = (high - low) * Decimal128(rounding: place.share, digitCount: 15)
        // Of infinities that are alike there is no difference.
        return Number.decimal(place.share == 0 || step.kind == .nan ? low : low + step).stored
    }
}
