import HoldfastQuery
import HoldfastRows

/// Objects as they were at an earlier version, as far as that is known.
protocol FormerSource: ObjectSource {
    /// The schema that the rows are read with.
    var schema: RowSchema { get }
    /// Whether the evaluation since ``begin(reading:)`` asked for what is not known.
    var isUndecided: Bool { get }

    /// The next version at which something is otherwise that was looked at since it was set to `.max`.
    var nextVersion: UInt64 { get set }

    /// Begins an evaluation.
    ///
    /// - `reads`: What it reads of objects that it is led to, by class.
    func begin(reading reads: [Int: MemberSet])
}

extension FormerSource {
    /// Notes the next version at which something may be otherwise that is found; `.max` for none.
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
