import HoldfastRows

/// Numbers from which the ones at some rank are found, without sorting all. They change places meanwhile.
///
/// Cost: linear in their number, for any values: repeatedly the numbers are counted in intervals, and
/// only the numbers of the interval with the rank are considered from then on.
struct RankedDoubles {
    private let numbers: UnsafeMutableBufferPointer<Double>

    /// So few are sorted.
    private static let sortedCountMax = 64
    private static let intervalCountLog2 = 11

    /// - `numbers`: Without NaN.
    init(_ numbers: UnsafeMutableBufferPointer<Double>) { self.numbers = numbers }

    /// The number at (n − 1) · percent / 100 among the n sorted numbers, counted from 0: between two of them in proportion
    /// to its distance from both. Nil without numbers.
    func percentile(_ percent: Double) -> Double? {
        guard !numbers.isEmpty else { return nil }
        let place = Quantile(percent, count: numbers.count)
        let (low, high) = pair(at: place.index)
        let (share, step) = (place.share, (high - low) * place.share)
        if share == 0 || low == high { return low }
        return step.isFinite ? low + step : low * (1 - share) + high * share
    }

    /// The number at a rank and the one behind it; the last one twice.
    private func pair(at rank: Int) -> (Double, Double) {
        let (first, count) = gather(rank)
        var near = UnsafeMutableBufferPointer(rebasing: numbers[..<count])
        near.sort()
        let own = near[rank - first]
        if rank + 1 == numbers.count { return (own, own) }
        if rank + 1 < first + count { return (own, near[rank + 1 - first]) }
        // All greater numbers lie behind the current ones.
        let last = near[count - 1]
        var next = Double.infinity
        for number in numbers where number > last { next = min(next, number) }
        return (own, next)
    }

    /// Moves some numbers to the front, that at a rank among them: few, or equal ones. All others are less than all of these, or
    /// greater.
    ///
    /// - Returns: The rank of the least of them, and how many they are.
    private func gather(_ rank: Int) -> (first: Int, count: Int) {
        var (first, count) = (0, numbers.count)
        guard count > Self.sortedCountMax else { return (first, count) }
        return withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << Self.intervalCountLog2) {
            counts in
            while count > Self.sortedCountMax {
                var (least, greatest) = (UInt64.max, UInt64.min)
                for index in 0..<count {
                    let bits = OrderedKey.orderedBits(numbers[index])
                    least = min(least, bits)
                    greatest = max(greatest, bits)
                }
                if least == greatest { break }
                let width = UInt64.bitWidth - (greatest - least).leadingZeroBitCount
                let shift = UInt64(max(0, width - Self.intervalCountLog2))
                counts.initialize(repeating: 0)
                for index in 0..<count {
                    counts[Int((OrderedKey.orderedBits(numbers[index]) - least) >> shift)] += 1
                }
                var interval = 0
                while first + counts[interval] <= rank {
                    first += counts[interval]
                    interval += 1
                }
                var kept = 0
                for index in 0..<count
                where Int((OrderedKey.orderedBits(numbers[index]) - least) >> shift) == interval {
                    numbers.swapAt(kept, index)
                    kept += 1
                }
                count = kept
            }
            return (first, count)
        }
    }
}

/// Where a percentile stands among sorted numbers.
struct Quantile {
    /// The number before it, or at it.
    let index: Int
    /// The next number; the last one again if there is no next one.
    let next: Int
    /// Its distance from the number before it, as a part of that between both.
    let share: Double

    /// - `count`: How many numbers there are, one at least.
    init(_ percent: Double, count: Int) {
        let rank = Double(count - 1) * percent / 100
        index = min(Int(rank), count - 1)
        next = min(index + 1, count - 1)
        share = rank - Double(index)
    }
}
