import HoldfastQuery
import HoldfastRows

/// A condition on objects as they were, with what it reads, which is the same at each version.
struct FormerCondition {
    let predicate: Predicate
    /// The properties that it reads of the object itself.
    let own: MemberSet
    /// Those that it reads of this and of objects that paths lead to, by class.
    let reads: [Int: MemberSet]

    init(_ predicate: Predicate, _ schema: RowSchema) {
        self.predicate = predicate
        let all = predicate.dependencies(schema)
        own = MemberSet(all.filter(\.path.isEmpty).map(\.member))
        reads = all.reduce(into: [:]) {
            $0[$1.classIndex, default: MemberSet()].insert($1.member)
        }
    }
}
