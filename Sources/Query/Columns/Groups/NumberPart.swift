import HoldfastObjectModel
import HoldfastRows

/// Reads parts of dates, and the ranges that ints and doubles lie in, as numbers.
final class NumberPart {
    /// How the numbers are stored.
    let storage: ElementStorage
    let key: GroupKey
    private let calculation: GroupCalculation

    private static let secondsOfDay: Int64 = 86_400
    /// Up to here doubles tell each whole number from the next.
    private static let wholeMax = 0x1p52

    /// Nil for whole values, and for those that are not kept as numbers.
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

    /// Reads numbers that ``meaning(of:)`` makes others of, as ``NumberCoding/read(_:_:into:)`` does.
    func read(
        _ chunk: ColumnChunk, _ positions: UnsafeBufferPointer<Int32>,
        into values: UnsafeMutablePointer<Int64>
    ) -> ClosedRange<Int64>? {
        var range: ClosedRange<Int64>?
        switch (key.part, chunk) {
        case (.date(let part, _), let chunk as NumberChunk):
            chunk.read(positions, into: values)
            range = makeTimes(values, positions.count, of: chunk, hours: part == .hour)
        case (.bucket(.double(let width)), let chunk as DoubleChunk):
            return read(chunk, positions, width, into: values)
        default: range = NumberCoding.read(chunk, positions, into: values)
        }
        guard range == nil else { return range }
        for index in 0..<positions.count { values[index] = meaning(of: values[index]) }
        return nil
    }

    /// The number that is meant by one that was read.
    func meaning(of value: Int64) -> Int64 {
        switch key.part {
        case .value, .date(.hour, _): return value
        case .date(let part, _): return part.value(at: value * Self.secondsOfDay)
        case .bucket(.int(let width)): return GroupCalculation.bound(value, width)
        case .bucket(.double(let width)):
            let isInt = key.path.type.storage == .int
            let bound =
                isInt
                ? GroupCalculation.bound(Double(value), width) : Double(value) * width + 0
            return NumberCoding.number(bound)
        case .bucket: return value
        }
    }

    /// Makes days since 1970 of dates, or hours of the day.
    private func makeTimes(
        _ values: UnsafeMutablePointer<Int64>, _ count: Int, of chunk: NumberChunk, hours: Bool
    ) -> ClosedRange<Int64>? {
        for index in 0..<count {
            let seconds = calculation.localSeconds(
                at: ColumnNumber.timestamp(values[index]).seconds)
            let (days, rest) = Timestamp.days(seconds: seconds)
            values[index] = hours ? rest / 3600 : days
        }
        if hours { return 0...23 }
        // No clock is a whole day off.
        return NumberCoding.near(Self.day(chunk.least) - 1, Self.day(chunk.greatest) + 1)
    }

    /// Reads which multiples of a width are the bounds of values, or where these lie too far apart the bounds.
    private func read(
        _ chunk: DoubleChunk, _ positions: UnsafeBufferPointer<Int32>, _ width: Double,
        into values: UnsafeMutablePointer<Int64>
    ) -> ClosedRange<Int64>? {
        let first = (chunk.least / width).rounded(.down)
        let last = (chunk.greatest / width).rounded(.down)
        guard first > -Self.wholeMax, last < Self.wholeMax, (first * width).isFinite,
            (last * width).isFinite, let range = NumberCoding.near(Int64(first), Int64(last))
        else {
            for index in 0..<positions.count {
                let value = chunk.value(Int(positions[index]))
                values[index] = NumberCoding.number(GroupCalculation.bound(value, width))
            }
            return nil
        }
        for index in 0..<positions.count {
            let quotient = chunk.value(Int(positions[index])) / width
            let whole = Int64(quotient)
            values[index] = Double(whole) > quotient ? whole - 1 : whole
        }
        return range
    }

    /// The day since 1970 of a date as columns have it.
    private static func day(_ date: Int64) -> Int64 {
        Timestamp.days(seconds: ColumnNumber.timestamp(date).seconds).days
    }
}
