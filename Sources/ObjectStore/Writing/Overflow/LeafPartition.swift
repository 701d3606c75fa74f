import HoldfastRows

/// The division of elements into leaves.
enum LeafPartition {
    /// An element's cost in eighths of a byte: its bytes, its place in the table of ends, and a bit that
    /// may say that it is null.
    private static func cost(_ leaf: LeafView, _ index: Int) -> Int {
        leaf.encodedByteCount(index) * 8 + 1
    }

    /// The cost of a leaf beside its elements: the heads of its values and keys, and a bitmap's last byte.
    private static let headCost = 21 * 8

    /// Cuts the elements of slices into as many leaves as they need, each of at most `byteCountMax` bytes
    /// or of one element; none when there is no element.
    ///
    /// - `fillsLeft`: Whether all but the last are filled, and not all alike.
    static func parts(
        of slices: [LeafSlice], byteCountMax: Int, fillsLeft: Bool
    ) -> [[LeafSlice]] {
        let slices = slices.filter { !$0.range.isEmpty }
        if slices.isEmpty { return [] }
        let most = byteCountMax * 8 - headCost
        var target = most
        if !fillsLeft {
            var total = 0
            for slice in slices {
                for index in slice.range { total += cost(slice.leaf, index) }
            }
            if total <= most { return [slices] }
            target = total / max(2, (total * 4 + most * 3 - 1) / (most * 3))
        }
        var parts: [[LeafSlice]] = []
        var part: [LeafSlice] = []
        var size = 0
        for slice in slices {
            var start = slice.range.lowerBound
            for index in slice.range {
                let own = cost(slice.leaf, index)
                if size > 0, size + own > most || size >= target {
                    if start < index { part.append(LeafSlice(slice.leaf, start..<index)) }
                    parts.append(part)
                    part = []
                    start = index
                    size = 0
                }
                size += own
            }
            part.append(LeafSlice(slice.leaf, start..<slice.range.upperBound))
        }
        parts.append(part)
        return parts
    }
}
