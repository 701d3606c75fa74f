/// The cost of looking up a row by its object key, see ``QueryCost``: more in a large class, whose rows are not in the
/// processor's caches.
struct LookUpCost {
    /// The object keys rising.
    let rising: Int
    /// The object keys in no order.
    let any: Int

    /// The cost in a class of some 500,000 objects, for classes whose objects were not counted.
    static let large = LookUpCost(objectCount: 1 << 19)

    /// Fitted to what `Benchmarks --only planner` (20,000 objects) and queries of 300,000 people show: 0.25 µs in the small class, and for
    /// each doubling from there on 80 ns more, or 160 where the keys don't rise.
    init(objectCount: Int) {
        let doublings = max(0, Int.bitWidth - 1 - objectCount.leadingZeroBitCount - 14)
        rising = 12 + 4 * doublings
        any = 12 + 8 * doublings
    }
}
