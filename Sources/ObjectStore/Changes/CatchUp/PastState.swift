import HoldfastQuery
import HoldfastRows

/// The state of an object before a version, as far as the change log keeps it.
struct PastState: Sendable {
    /// The version that changed or deleted it.
    let version: UInt64
    /// The values, by position, see ``PastValue/tagged``.
    let values: [(member: Int, tagged: [UInt8])]
}

extension FoldedChanges.Change {
    /// Notes an object's state before a version.
    ///
    /// - `members`: The properties that the version changed.
    mutating func notePast(
        _ record: ChangeRecord, _ members: MemberSet, _ version: UInt64, _ schema: RowSchema
    ) {
        let values = record.former.compactMap { value in
            schema.memberByNumber[value.property].map { ($0.member, value.tagged) }
        }
        forgotten.formUnion(members.subtracting(MemberSet(values.map(\.0))))
        if record.former.isEmpty, record.kind != .delete { return }
        former.append(PastState(version: version, values: values))
    }
    /// Drops the noted values of some properties.
    mutating func forgetPast(_ members: MemberSet) {
        for position in former.indices {
            let known = former[position].values
            let kept = known.filter { !members.contains($0.member) }
            if kept.count == known.count { continue }
            forgotten.formUnion(members.intersection(MemberSet(known.map(\.member))))
            former[position] = PastState(version: former[position].version, values: kept)
        }
    }
}

/// Objects at an earlier version, as far as they are known.
protocol PastSource: ObjectSource {
    /// The schema that the rows are read with.
    var schema: RowSchema { get }
    /// Whether the evaluation since ``begin(reading:)`` asked for unknown values.
    var isUndecided: Bool { get }

    /// The next version that changes something that was looked at since this was set to `.max`.
    var nextVersion: UInt64 { get set }

    /// Begins an evaluation.
    ///
    /// - `reads`: The properties that it reads of objects at the ends of paths, by class.
    func begin(reading reads: [Int: MemberSet])
}

extension PastSource {
    /// Notes the next version at which the findings may be different; `.max` if no version is.
    func noting<Found>(_ find: () -> Found) -> (found: Found, nextVersion: UInt64) {
        let before = nextVersion
        defer { nextVersion = min(before, nextVersion) }
        nextVersion = .max
        return (find(), nextVersion)
    }

    func incomingLinkCount(classIndex: Int, key: UInt64) -> Int {
        var count = 0
        for rowClass in schema.classes where !rowClass.isAsymmetric {
            for member in rowClass.linkingMembers {
                let compiled = rowClass.members[member]
                guard compiled.storage.element != .embedded,
                    compiled.storage.element != .link || compiled.classIndex == classIndex
                else { continue }
                forEachOrigin(
                    ofClass: classIndex, key: key, originClass: rowClass.index, member: member
                ) { _, _ in
                    count += 1
                    return true
                }
            }
        }
        return count
    }
}

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
