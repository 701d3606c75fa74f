import HoldfastQuery
import HoldfastRows

/// A condition that is tested on objects at one version. One thread at a time uses it.
final class PastTest {
    private let predicate: Predicate
    /// The properties of the object itself that it reads.
    let own: MemberSet
    /// The properties that it reads of the object and of objects that paths lead to, by class.
    let reads: [Int: MemberSet]
    private var matcher: Matcher?

    init(_ predicate: Predicate, _ schema: RowSchema) {
        self.predicate = predicate
        let all = predicate.dependencies(schema)
        own = MemberSet(all.filter(\.path.isEmpty).map(\.member))
        reads = all.reduce(into: [:]) { $0[$1.classIndex, default: MemberSet()].insert($1.member) }
    }

    /// The condition of another one, for another version.
    init(_ other: PastTest) { (predicate, own, reads) = (other.predicate, other.own, other.reads) }

    /// Whether an object satisfied the condition; nil if that is not known.
    ///
    /// - `source`: The same for each object.
    func holds(for object: PastObjects.Found, _ key: UInt64, in source: some PastSource) -> Bool? {
        guard object.knows(own), source.budget.spend() else { return nil }
        source.begin(reading: reads)
        let (matches, nextVersion) = source.noting {
            let matcher = matcher ?? predicate.makeMatcher(source.schema, source: source)
            self.matcher = matcher
            return matcher.matches(row: object.row, key: key, source: source)
        }
        let isKnown = !source.isUndecided && source.budget.failure == nil
        // The matcher remembers its findings about targets, and does not notice when these change.
        if !isKnown || nextVersion < .max { matcher = nil }
        return isKnown ? matches : nil
    }
}
