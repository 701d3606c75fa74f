import HoldfastAccess
import HoldfastObjectStore
import HoldfastPlainQuery
import HoldfastQuery
import HoldfastRows
import HoldfastStoreService

/// The sight of twins, under which everything may be done.
final class ModelVisibility: VisibilitySource, @unchecked Sendable {
    // Unchecked: they are never changed.
    private let twins: VisibilityModels
    init(_ twins: VisibilityModels) { self.twins = twins }

    var name: String { "" }
    var user: String? { nil }

    func visibility(in read: StoreView) -> Visibility? { twins.visibility(in: read) }
    func wasShutOut(since version: UInt64, in read: StoreView) -> Bool { false }
    func decidingObject(in read: StoreView) -> ObservedQuery? { nil }
    func wasOtherwise(
        since version: UInt64, _ changes: FoldedChanges, in read: StoreView
    ) -> Bool { false }

    func rights(in read: StoreView) -> WriteRights? {
        let schema = read.rows
        return twins.visibility(in: read).map { visibility in
            WriteRights(of: nil, visibility: visibility) { classIndex in
                let members = MemberSet(schema.classes[classIndex].members.indices)
                let all = Predicate.constant(true)
                return [
                    WriteRights.Role(
                        place: "", create: all, before: all, after: all, delete: all,
                        stated: members, changed: members)
                ]
            }
        }
    }
}
