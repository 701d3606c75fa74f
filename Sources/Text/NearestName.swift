/// Finds the name that a misspelt name probably means.
package enum NearestName {
    /// Finds the known name that is nearest to `name`. Returns nil if all names are far away: more than a third of its
    /// characters, and at least two, would have to change, or more than half of the longer name. Case does not count. Cost: the
    /// product of the lengths for each known name. The search stops after some milliseconds of work; it is only for error replies.
    ///
    /// If all are far away, a name in `ies` is taken for the plural of a known name in `y`.
    package static func of(_ name: String, among known: some Sequence<String>) -> String? {
        // A longer name is not a misspelling of a known one.
        guard name.utf8.count <= 256 else { return nil }
        let wanted = Array(name.lowercased().unicodeScalars)
        let singular =
            wanted.suffix(3).elementsEqual("ies".unicodeScalars) ? wanted.dropLast(3) + ["y"] : nil
        var limit = max(2, wanted.count / 3)
        var nearest: String?
        var plural: String?
        var work = 0
        for candidate in known {
            // A search may have a hundred thousand names of hundreds of characters, and run for each of a hundred faults.
            work += candidate.utf8.count
            if work > workMax { break }
            let letters = Array(candidate.lowercased().unicodeScalars)
            if let singular, singular.elementsEqual(letters) { plural = candidate }
            guard abs(letters.count - wanted.count) <= limit else { continue }
            work += wanted.count * letters.count
            let distance = distance(wanted, letters)
            if distance <= limit, 2 * distance <= max(wanted.count, letters.count) {
                nearest = candidate
                // The next one has to be nearer.
                if distance == 0 { break }
                limit = distance - 1
            }
        }
        return nearest ?? plural
    }

    /// The maximum of characters, and pairs of characters, to compare.
    private static let workMax = 500_000

    /// Returns the edit distance: the number of scalars to add, remove, change or swap with their neighbour (optimal string
    /// alignment). Cost: the product of the lengths.
    private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
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
