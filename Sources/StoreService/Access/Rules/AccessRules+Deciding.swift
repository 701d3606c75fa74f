import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

extension AccessRules {
    /// The key of a user's own object, if read rules or roles read something of it; nil if they read nothing, or no object can be
    /// the user's.
    func decidingKey(of principal: Principal) -> (classIndex: Int, key: OrderedKey)? {
        guard let usersClass, let user = principal.user, !decidingReads.isEmpty,
            let key = PrincipalFacts.key(user, of: schema.classes[usersClass]),
            let ordered = OrderedKey(key)
        else { return nil }
        return (usersClass, ordered)
    }

    /// The user's own object, with everything that read rules and roles read of it and along its links; nil if ``decidingKey(of:)`` is nil.
    func decidingObject(of principal: Principal) -> ObservedQuery? {
        guard let (classIndex, key) = decidingKey(of: principal) else { return nil }
        return ObservedQuery(
            target: .keyed(classIndex: classIndex, primaryKey: key), predicate: nil,
            filterPaths: [], shownPaths: decidingReads,
            countsEverything: false, schema: schema)
    }

    /// The references of rules on reading, and of roles, to the user's object, each once.
    static func decidingReferences(of roles: [CompiledRole]) -> [UserReference] {
        let rules = roles.flatMap { role in [role.when] + role.classes.map { $0?.read?.rule } }
        var known: Set<UserReference> = []
        return rules.flatMap { $0?.references ?? [] }.filter { reference in
            if case .object = reference { known.insert(reference).inserted } else { false }
        }
    }

    /// The properties that read rules and roles read of the user's object and along its links.
    static func decidingReads(
        of references: [UserReference], in schema: RowSchema
    ) -> [Dependency] {
        references.flatMap { reference -> [Dependency] in
            if case .object(let path) = reference { path.dependencies(schema) } else { [] }
        }
    }
}
