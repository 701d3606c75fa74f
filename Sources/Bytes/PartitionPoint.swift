/// Finds the first of the positions `0 ..< count` at which `isBelow` does not hold; `count` when it holds at
/// all. It holds at every position before that and at none behind. Cost: a binary search.
@inlinable
public func partitionPoint(_ count: Int, _ isBelow: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
        let middle = (low + high) / 2
        if isBelow(middle) { low = middle + 1 } else { high = middle }
    }
    return low
}
