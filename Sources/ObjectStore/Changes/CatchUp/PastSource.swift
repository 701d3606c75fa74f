import HoldfastQuery
import HoldfastRows

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
