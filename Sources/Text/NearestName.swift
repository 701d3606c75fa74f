/// Finds the name that a misspelt one probably means.
package enum NearestName {
    /// The known name that is nearest to `name`, unless all are far away: more than a third of its
    /// characters, and at least two, would have to change. Case does not count. Cost: the product of
    /// the lengths for each known name; only for error replies.
    package static func of(_ name: String, among known: some Sequence<String>) -> String? {
        // A name longer than any of ours is not a misspelling of one.
        guard name.utf8.count <= 256 else { return nil }
        let wanted = Array(name.lowercased().unicodeScalars)
        var limit = max(2, wanted.count / 3)
        var nearest: String?
        for candidate in known {
            let letters = Array(candidate.lowercased().unicodeScalars)
            guard abs(letters.count - wanted.count) <= limit else { continue }
            let distance = EditDistance.between(wanted, letters)
            if distance <= limit, distance < max(wanted.count, letters.count) {
                nearest = candidate
                // The next one has to be nearer.
                if distance == 0 { break }
                limit = distance - 1
            }
        }
        return nearest
    }
}
