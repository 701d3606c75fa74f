import HoldfastObjectStore
import HoldfastRows

extension AccessView {
    /// The rules of a principal without roles.
    static let nothing = AccessView(revision: 0, roles: [])

    /// The rights of each role that holds, for the objects of a class.
    func writing(_ classIndex: Int) -> [WriteRights.Role] {
        roles.compactMap { role in
            guard let rules = role.classes[classIndex] else { return nil }
            func members(_ least: PropertyRight) -> MemberSet {
                MemberSet(rules.rights.indices.lazy.filter { rules.rights[$0] >= least })
            }
            return WriteRights.Role(
                place: rules.place, create: rules.create, before: rules.before, after: rules.after,
                delete: rules.delete, stated: members(.create), changed: members(.write))
        }
    }
}
