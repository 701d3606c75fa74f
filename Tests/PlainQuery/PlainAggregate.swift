import ObjectModel

/// What becomes of several values.
enum PlainAggregate {
    /// The least, the greatest, the sum or the average of values of a type.
    ///
    /// Nulls and NaN are left out, and from the sums and averages of `mixed` values what is no number. Sums of
    /// ints are ints, null where 64 bits hold them not, averages doubles; of decimals and `mixed` values both are
    /// decimals.
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
            let sum = counted.reduce(0) { $0 + PlainArithmetic.double($1) }
            return function == .sum ? .double(sum) : average(sum, counted.count)
        default:
            let numbers = counted.compactMap { PlainArithmetic.decimal($0) }
                .filter { $0.kind != .nan }
            let sum = numbers.reduce(Decimal128(0)) { $0 + $1 }
            if function == .sum { return .decimal(sum) }
            return numbers.isEmpty ? .null : .decimal(sum / Decimal128(Int64(numbers.count)))
        }
    }

    private static func average(_ sum: Double, _ count: Int) -> Value {
        count == 0 ? .null : .double(sum / Double(count))
    }
}
