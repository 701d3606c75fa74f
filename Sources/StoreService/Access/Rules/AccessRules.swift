import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// An access document that holds in a schema, with its rules checked. Immutable; any thread may use it.
package final class AccessRules: Sendable {
    /// The document.
    package let document: AccessDocument
    /// Its revision; 0 where it is not stored.
    package let revision: UInt64
    /// The revision that set the rules, see ``StoredDocument/rulesRevision``.
    let rulesRevision: UInt64
    /// The schema that it was checked for.
    package let schema: RowSchema
    /// The warnings for its author: it holds all the same.
    package let warnings: [RequestFault.Entry]
    let roles: [CompiledRole]
    /// The references of the rules to a user, each once, in the order of the document.
    let references: [UserReference]
    /// The properties that rules on reading read of objects, and that these and roles read of users' own.
    package let kept: KeptProperties
    /// The references of rules on reading, and of roles, to the user's object.
    let decidingReferences: [UserReference]
    /// The reads of rules on reading, and of roles, from it and behind it.
    let decidingReads: [Dependency]
    /// The class of the users' objects, by position; nil where they have none, and where no rule reads them.
    let usersClass: Int?

    /// Checks a document against a schema.
    ///
    /// - Throws: ``RequestFault`` `.invalid` with each fault: its position in the document, role, class and action, the column in
    ///   a filter, and a hint.
    package init(
        _ document: AccessDocument, revision: UInt64 = 0, rulesRevision: UInt64? = nil,
        schema: RowSchema
    ) throws(RequestFault) {
        var compiler = AccessCompiler(document: document, schema: schema)
        compiler.compile()
        guard compiler.faults.isEmpty else {
            throw .several(
                .invalid, "invalid-access", compiler.faults, "The access document has faults.")
        }
        self.document = document
        self.revision = revision
        self.rulesRevision = rulesRevision ?? revision
        self.schema = schema
        roles = compiler.roles
        var known: Set<UserReference> = []
        references = compiler.roles.flatMap(\.references).filter { known.insert($0).inserted }
        decidingReferences = Self.decidingReferences(of: compiler.roles)
        decidingReads = Self.decidingReads(of: decidingReferences, in: schema)
        kept = KeptProperties(
            Self.keptReads(of: compiler.roles, in: schema) + decidingReads, of: schema)
        let readsObjects = references.contains { if case .object = $0 { true } else { false } }
        usersClass = readsObjects ? compiler.usersClass : nil
        warnings = AccessWarnings(document, compiler.roles, schema).all
    }

    /// Makes what a principal may do. Cost: linear in the rules of the roles that hold.
    ///
    /// - Parameters:
    ///   - user: The facts about the user; none for an anonymous visitor.
    ///   - isUser: Whether there is a user.
    /// - Returns: The roles that hold, with what they allow with objects of any class.
    package func view(for user: some UserFacts, isUser: Bool) -> AccessView {
        var view = AccessView(revision: rulesRevision, roles: [])
        for role in roles where holds(role, for: user, isUser: isUser) {
            view.roles.append(
                AccessView.Role(
                    name: role.name,
                    classes: role.classes.map { rules in
                        rules.map { AccessView.ClassRules($0, for: user) }
                    }))
        }
        return view
    }

    /// What decides on what could be read: what rules read, and the links to objects that they may hide.
    private static func keptReads(
        of roles: [CompiledRole], in schema: RowSchema
    ) -> [Dependency] {
        let mayHide = schema.classes.indices.map { index in
            roles.contains { role in
                role.classes[index]?.read.map { $0.rule != nil } ?? true
            }
        }
        let links = Sight.links(toAnyOf: mayHide, schema)
        return roles.flatMap(\.classes).flatMap { rules in
            rules?.read?.rule?.sample?.dependencies(schema) ?? []
        }
            + schema.classes.indices.flatMap { index in
                links[index].map {
                    Dependency(classIndex: index, member: $0, path: [], firstMember: $0)
                }
            }
    }

    func holds(_ role: CompiledRole, for user: some UserFacts, isUser: Bool) -> Bool {
        guard isUser || role.isForAnyone else { return false }
        return role.when.map { $0.predicate(for: user) == .constant(true) } ?? true
    }
}
