/// Finds the known name that an unknown one was probably meant to be.
package enum NearestName {
    /// The candidate with the smallest edit distance to `name`, ignoring case first; nil when none is
    /// near, which is at most a third of the name's length, and at least one change, away.
    ///
    /// Cost: the product of the lengths for each candidate.
    package static func find(_ name: String, in candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased().unicodeScalars)
        guard wanted.count <= 64 else { return nil }
        var best: (name: String, distance: Int)?
        let limit = max(1, wanted.count / 3)
        for candidate in candidates {
            let found = distance(wanted, Array(candidate.lowercased().unicodeScalars))
            if found <= limit, best.map({ found < $0.distance }) ?? true {
                best = (candidate, found)
            }
        }
        return best?.name
    }

    /// The number of insertions, deletions, replacements and swaps of neighbours between two texts.
    private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var older = [Int](repeating: 0, count: b.count + 1)
        var previous = Array(0...b.count)
        for i in a.indices {
            var current = [i + 1]
            current.reserveCapacity(b.count + 1)
            for j in b.indices {
                var cost = previous[j] + (a[i] == b[j] ? 0 : 1)
                cost = min(cost, previous[j + 1] + 1, current[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    cost = min(cost, older[j - 1] + 1)
                }
                current.append(cost)
            }
            older = previous
            previous = current
        }
        return previous[b.count]
    }
}
