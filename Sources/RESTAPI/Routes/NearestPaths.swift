import HoldfastText

/// The paths of operations that a path without one probably means.
enum NearestPaths {
    /// Longer paths are not compared.
    private static let segmentCountMax = 10
    private static let segmentByteCountMax = 256
    /// How many are named at most.
    private static let countMax = 3
    /// The largest difference of a path, in tenths of a segment.
    private static let costMax = 23
    /// A segment that is left out, or another word.
    private static let wrong = 10
    /// A segment too many: something was meant by it.
    private static let excess = 12
    /// The version, an empty segment behind a last slash, and a misspelt word.
    private static let slight = 3
    /// A segment that a parameter takes, so that a word of ours is nearer than one.
    private static let taken = 1

    /// The nearest paths, only the ones with the fewest differences, in the order of the contract: with the segments
    /// that the client sent where parameters take them. Cost: the segments of all operations.
    ///
    /// - Returns: The paths, and whether they differ only by misspelt words and left out versions.
    static func of(_ segments: [String]) -> (paths: [String], isMisspelt: Bool) {
        guard areCompared(segments) else { return ([], false) }
        var nearest: [String] = []
        // A path without a common segment has no nearest path.
        var least = min(costMax, wrong * segments.count - 1)
        var seen: Set<String> = []
        for operation in Operation.all where seen.insert(operation.path).inserted {
            let pattern = operation.path.dropFirst().split(
                separator: "/", omittingEmptySubsequences: false
            ).map(String.init)
            let (cost, path) = compare(segments, pattern)
            if cost > least || cost == least && nearest.count == countMax { continue }
            // The version and what a parameter takes are no common words.
            let words = pattern.filter { !["v1", ""].contains($0) && !$0.hasPrefix("{") }
            guard segments.contains(where: { NearestName.of($0, among: words) != nil }) else {
                continue
            }
            if cost < least { nearest = [] }
            least = cost
            nearest.append(path)
        }
        return (nearest, !nearest.isEmpty && least < wrong)
    }

    /// Whether a path is short enough to be compared.
    static func areCompared(_ segments: [String]) -> Bool {
        segments.count <= segmentCountMax
            && segments.allSatisfy { $0.utf8.count <= segmentByteCountMax }
    }

    /// The difference of a path from a pattern, and the path of the pattern that it means.
    private static func compare(
        _ segments: [String], _ pattern: [String]
    ) -> (cost: Int, path: String) {
        // For each number of segments the best way through the pattern so far.
        var row = [(cost: 0, path: "")]
        for segment in segments { row.append((row[row.count - 1].cost + superfluous(segment), "")) }
        for (index, part) in pattern.enumerated() {
            let isParameter = part.hasPrefix("{")
            let leftOut = part == "v1" ? slight : wrong
            // As the last word a segment is forgotten more often than in the middle.
            let missing = index == pattern.count - 1 ? leftOut - 1 : leftOut
            var next = [(cost: row[0].cost + missing, path: "\(row[0].path)/\(part)")]
            for (number, segment) in segments.enumerated() {
                var best = (
                    cost: row[number + 1].cost + missing, path: "\(row[number + 1].path)/\(part)"
                )
                let removed = (
                    cost: next[number].cost + superfluous(segment), path: next[number].path
                )
                if removed.cost < best.cost { best = removed }
                let change = difference(segment, part, isParameter)
                if let change, row[number].cost + change <= best.cost {
                    let shown = isParameter ? ObjectPath.segment(segment) : part
                    best = (row[number].cost + change, "\(row[number].path)/\(shown)")
                }
                next.append(best)
            }
            row = next
        }
        return row[segments.count]
    }

    private static func superfluous(_ segment: String) -> Int { segment.isEmpty ? slight : excess }

    /// The difference of a segment from a part of a pattern; nil where it can't be meant.
    private static func difference(_ segment: String, _ part: String, _ isParameter: Bool) -> Int? {
        if segment.isEmpty { return part.isEmpty ? 0 : nil }
        if isParameter { return taken }
        if segment == part { return 0 }
        return NearestName.of(segment, among: [part]) == nil ? wrong : slight
    }
}
