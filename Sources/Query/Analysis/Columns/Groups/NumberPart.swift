import HoldfastObjectModel
import HoldfastRows

/// Parts of dates, and the ranges that ints and doubles lie in, as numbers. One thread at a time uses it.
///
/// Of each number a step is found first, which tells its part and lies close to others: parts are made once for each.
struct NumberPart {
    let storage: ElementStorage
    let key: GroupKey
    private let calculation: GroupCalculation

    private static let secondsOfDay: Int64 = 86_400
    /// Up to here doubles tell each whole number from the next.
    private static let wholeMax = 0x1p52

    /// Nil for whole values, and for values that are not kept as numbers.
    init?(_ key: GroupKey) {
        guard let calculation = GroupCalculation(key) else { return nil }
        self.key = key
        self.calculation = calculation
        switch (key.part, key.path.type.storage) {
        case (.date, _), (.bucket(.int), .int): storage = .int
        case (.bucket(.double), .int), (.bucket(.double), .double), (.bucket(.double), .float):
            storage = .double
        default: return nil
        }
    }

    /// Makes steps of numbers of a chunk.
    ///
    /// - Returns: Where they lie; nil for doubles that lie too far apart, of which parts were made.
    func makeSteps(
        of numbers: UnsafeMutableBufferPointer<Int64>, in chunk: NumberChunk
    ) -> ClosedRange<Int64>? {
        switch key.part {
        case .date(let part, _):
            let isHour = part == .hour
            for index in numbers.indices {
                let seconds = ColumnNumber.timestamp(numbers[index]).seconds
                let (day, rest) = Timestamp.days(seconds: calculation.localSeconds(at: seconds))
                numbers[index] = isHour ? rest / 3600 : day
            }
            if isHour { return 0...23 }
            // No clock is a whole day off.
            return Self.day(chunk.least) - 1...Self.day(chunk.greatest) + 1
        case .bucket(.double(let width)) where chunk.storage != .int:
            return makeMultiples(of: width, numbers, in: chunk)
        default: return chunk.least...chunk.greatest
        }
    }

    /// Makes of doubles how many times a width their bounds are, or where that is not told, the bounds.
    private func makeMultiples(
        of width: Double, _ numbers: UnsafeMutableBufferPointer<Int64>, in chunk: NumberChunk
    ) -> ClosedRange<Int64>? {
        let first = (ColumnNumber.double(chunk.least) / width).rounded(.down)
        let last = (ColumnNumber.double(chunk.greatest) / width).rounded(.down)
        guard first > -Self.wholeMax, last < Self.wholeMax, (first * width).isFinite,
            (last * width).isFinite
        else {
            for index in numbers.indices {
                let bound = GroupCalculation.bound(ColumnNumber.double(numbers[index]), width)
                numbers[index] = ColumnNumber.number(bound) ?? 0
            }
            return nil
        }
        for index in numbers.indices {
            let exact = ColumnNumber.double(numbers[index]) / width
            // The placeholder of null may be any double.
            let quotient = exact > -Self.wholeMax && exact < Self.wholeMax ? exact : 0
            let whole = Int64(quotient)
            numbers[index] = Double(whole) > quotient ? whole - 1 : whole
        }
        return Int64(first)...Int64(last)
    }

    func part(_ step: Int64) -> Int64 {
        switch key.part {
        case .value, .date(.hour, _): step
        case .date(let part, _): part.value(at: step * Self.secondsOfDay)
        case .bucket(.int(let width)): GroupCalculation.bound(step, width)
        case .bucket(.double(let width)):
            ColumnNumber.number(
                key.path.type.storage == .int
                    ? GroupCalculation.bound(Double(step), width) : Double(step) * width + 0) ?? 0
        case .bucket: step
        }
    }

    /// The day since 1970 of a date as columns have it.
    private static func day(_ date: Int64) -> Int64 {
        Timestamp.days(seconds: ColumnNumber.timestamp(date).seconds).days
    }
}
