import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

extension AccessRules {
    /// The object of a user, with what rules on reading and roles read of it and behind it; nil where they read nothing, or no
    /// object can be the user's.
    func decidingObject(of principal: Principal) -> ObservedQuery? {
        guard let usersClass, let user = principal.user, !decidingReads.isEmpty else { return nil }
        let rowClass = schema.classes[usersClass]
        guard let key = PrincipalFacts.key(user, of: rowClass),
            let ordered = OrderedKey(key)
        else { return nil }
        return ObservedQuery(
            target: .keyed(classIndex: usersClass, primaryKey: ordered), predicate: nil,
            filterPaths: [], shownPaths: decidingReads,
            countsEverything: false, schema: schema)
    }

    /// The reads of rules on reading, and of roles, from the user's object and behind it.
    static func decidingReads(of roles: [CompiledRole], in schema: RowSchema) -> [Dependency] {
        let rules = roles.flatMap { role in [role.when] + role.classes.map { $0?.read?.rule } }
        let references = rules.flatMap { $0?.references ?? [] }
        let paths = Set(
            references.compactMap { if case .object(let path) = $0 { path } else { nil } })
        return paths.flatMap { $0.dependencies(schema) }
    }
}
