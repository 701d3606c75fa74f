/// Where a percentile stands among sorted numbers.
struct RankedPlace {
    /// The number before it, or at it.
    let index: Int
    /// The number behind it; the last one again where there is none.
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
