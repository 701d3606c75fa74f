import HoldfastObjectModel

/// What becomes of several values.
package enum PlainAggregate {
    /// The least, the greatest, the sum or the average of values of a type.
    ///
    /// Nulls and NaN are left out, and from the sums and averages of `mixed` values what is no number. Sums of
    /// ints are ints, null where 64 bits hold them not, sums of doubles are rounded once, averages of both are doubles; of
    /// decimals and `mixed` values both are decimals.
    static func result(
        _ function: PlainPath.Function, _ values: [Value], _ type: ScalarType
    ) -> Value {
        let counted = values.filter { value in
            switch value {
            case .decimal(let number): number.kind != .nan
            case .double(let number): !number.isNaN
            case .float(let number): !number.isNaN
            default: value != .null
            }
        }
        switch function {
        case .min:
            return counted.min { PlainComparison.sortOrder($0, $1) < 0 } ?? .null
        case .max:
            return counted.reduce(nil) { best, value in
                guard let best else { return value }
                return PlainComparison.sortOrder(best, value) < 0 ? value : best
            } ?? .null
        case .sum, .average: break
        }
        switch type {
        case .int:
            let ints = counted.compactMap { if case .int(let value) = $0 { value } else { nil } }
            let sum = ints.reduce(Int128(0)) { $0 + Int128($1) }
            if function == .sum { return Int64(exactly: sum).map { .int($0) } ?? .null }
            return average(Double(sum), ints.count)
        case .float, .double:
            let sum = PlainSum.of(counted.map { PlainArithmetic.double($0) })
            return function == .sum ? .double(sum) : average(sum, counted.count)
        default:
            let numbers = counted.compactMap { PlainArithmetic.decimal($0) }
                .filter { $0.kind != .nan }
            let sum = numbers.reduce(Decimal128(0)) { $0 + $1 }
            if function == .sum { return .decimal(sum) }
            return numbers.isEmpty ? .null : .decimal(sum / Decimal128(Int64(numbers.count)))
        }
    }

    /// What an operation of a reply makes of values: that of a function's name, `distinct` for how many different
    /// ones there are, or `median` for a percentile.
    package static func result(
        _ word: String, _ percent: Double, _ values: [Value], _ type: ScalarType
    ) -> Value {
        if let function = PlainPath.Function(rawValue: "@" + word) {
            return result(function, values, type)
        }
        let counted = values.filter { value in
            value != .null && PlainNumber(value).map { !$0.isNaN } ?? true
        }
        let sorted = counted.sorted { PlainComparison.sortOrder($0, $1) < 0 }
        if word == "distinct" {
            let starts = sorted.indices.filter {
                $0 == 0 || PlainComparison.sortOrder(sorted[$0 - 1], sorted[$0]) != 0
            }
            return .int(Int64(starts.count))
        }
        let numbers = sorted.filter { PlainNumber($0) != nil }
        if numbers.isEmpty { return .null }
        let rank = Double(numbers.count - 1) * percent / 100
        let share = rank - rank.rounded(.down)
        let low = numbers[Int(rank)]
        let high = numbers[min(Int(rank) + 1, numbers.count - 1)]
        if type == .decimal128 || type == .mixed {
            guard let a = PlainArithmetic.decimal(low), let b = PlainArithmetic.decimal(high) else {
                return .null
            }
            return .decimal(a + (b - a) * Decimal128(rounding: share, digitCount: 15))
        }
        let (a, b) = (PlainArithmetic.double(low), PlainArithmetic.double(high))
        if share == 0 || a == b { return .double(a) }
        let step = (b - a) * share
        return .double(step.isFinite ? a + step : a * (1 - share) + b * share)
    }

    private static func average(_ sum: Double, _ count: Int) -> Value {
        count == 0 ? .null : .double(sum / Double(count))
    }
}
