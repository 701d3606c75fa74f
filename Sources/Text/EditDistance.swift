/// The edit distance of two texts.
package enum EditDistance {
    /// How many scalars have to be added, dropped, changed or swapped with their neighbour (optimal
    /// string alignment). Cost: the product of the lengths.
    package static func between(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for (row, letter) in a.enumerated() {
            var current = [row + 1]
            current.reserveCapacity(b.count + 1)
            for (column, other) in b.enumerated() {
                var best = min(
                    last[column] + (letter == other ? 0 : 1), last[column + 1] + 1,
                    current[column] + 1)
                if row > 0, column > 0, letter == b[column - 1], a[row - 1] == other {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[b.count]
    }
}
