/// Returns the first of the positions `0 ..< count` at which `isBelow` is false; `count` if it is true everywhere. `isBelow` must
/// be true at all positions before the result and false from there on. Cost: a binary search.
@inlinable
public func partitionPoint(_ count: Int, _ isBelow: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
        let middle = (low + high) / 2
        if isBelow(middle) { low = middle + 1 } else { high = middle }
    }
    return low
}
