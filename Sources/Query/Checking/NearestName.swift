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
            let found = EditDistance.between(
                wanted, Array(candidate.lowercased().unicodeScalars))
            if found <= limit, best.map({ found < $0.distance }) ?? true {
                best = (candidate, found)
            }
        }
        return best?.name
    }
}
