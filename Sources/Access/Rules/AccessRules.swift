import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// An access document that is compiled and checked for a schema. Immutable; any thread may use it.
package final class AccessRules: Sendable {
    package let document: AccessDocument
    /// The document's revision; 0 if it is not stored.
    package let revision: UInt64
    /// The revision that set the rules, see ``StoredDocument/rulesRevision``.
    let rulesRevision: UInt64
    /// The schema that the document was checked for.
    package let schema: RowSchema
    /// The warnings for the document's author. They do not make the document invalid.
    package let warnings: [RequestFault.Entry]
    let roles: [CompiledRole]
    /// The references of the rules to a user, without duplicates, in the order of the document.
    let references: [UserReference]
    /// The object properties that read rules depend on, and the properties of users' objects that read rules and roles depend on.
    package let kept: LoggedProperties
    /// The references of read rules and roles to the user's object.
    let decidingReferences: [UserReference]
    /// The properties that read rules and roles read of the user's object and of objects that it leads to.
    let decidingReads: [Dependency]
    /// The position of the class of users' objects; nil if users have no objects or no rule reads them.
    let usersClass: Int?

    /// Checks a document against a schema.
    ///
    /// - Throws: ``RequestFault`` `.invalid` with all faults. Each has its position in the document, the role, class and action,
    ///   the column in a filter, and a hint.
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
        kept = LoggedProperties(
            Self.keptReads(of: compiler.roles, in: schema) + decidingReads, of: schema)
        let readsObjects = references.contains { if case .object = $0 { true } else { false } }
        usersClass = readsObjects ? compiler.usersClass : nil
        warnings = AccessWarnings(document, compiler.roles, schema).all
    }

    /// Computes a principal's rights. Cost: linear in the rules of the active roles.
    ///
    /// - Parameters:
    ///   - user: The facts about the user; empty for an anonymous visitor.
    ///   - isUser: Whether there is a user.
    /// - Returns: The active roles, with the rights that they grant on objects of each class.
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

    /// The properties that decide on what can be read: the ones that read rules read, and links to objects that read rules may
    /// hide.
    private static func keptReads(of roles: [CompiledRole], in schema: RowSchema) -> [Dependency] {
        let mayHide = schema.classes.indices.map { index in
            roles.contains { role in role.classes[index]?.read.map { $0.rule != nil } ?? true }
        }
        let links = Visibility.links(toAnyOf: mayHide, schema)
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

extension AccessRules {
    /// The key of the user's object, if read rules or roles read properties of it. Nil if they read nothing, or if no object can
    /// be the user's.
    func decidingKey(of principal: Principal) -> (classIndex: Int, key: OrderedKey)? {
        guard let usersClass, let user = principal.user, !decidingReads.isEmpty,
            let key = PrincipalFacts.key(user, of: schema.classes[usersClass]),
            let ordered = OrderedKey(key)
        else { return nil }
        return (usersClass, ordered)
    }

    /// The user's object, with every property that read rules and roles read of it and along its links; nil if
    /// ``decidingKey(of:)`` is nil.
    func decidingObject(of principal: Principal) -> ObservedQuery? {
        guard let (classIndex, key) = decidingKey(of: principal) else { return nil }
        return ObservedQuery(
            target: .keyed(classIndex: classIndex, primaryKey: key), predicate: nil,
            filterPaths: [], shownPaths: decidingReads, countsEverything: false, schema: schema)
    }

    /// The references of read rules and roles to the user's object, without duplicates.
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

// Comparing a document under two schemas that name classes and properties differently.
extension AccessRules {
    /// Whether the document has the same meaning in this schema and in the schema that replaces it: each name still denotes the
    /// same class or property.
    ///
    /// A class or property that keeps its name, or is renamed, counts as the same even if its type changes.
    ///
    /// - `wanted`: The document with the names of the new schema.
    func meansTheSame(as wanted: AccessRules, _ renames: SchemaRenames) -> Bool {
        let former = PastNames(renames)
        guard users?.keyNames == wanted.users.flatMap({ former.names($0.keyNames) }) else {
            return false
        }
        for (index, (role, other)) in zip(roles, wanted.roles).enumerated() {
            guard areSame(role.when, other.when, former) else { return false }
            let named = Set(texts: wanted.document.roles[index].classes.map(\.name))
            if named.count < wanted.document.roles[index].classes.count { return false }
            for rowClass in wanted.schema.classes {
                let name = rowClass.definition.name
                guard let present = former.className(name).flatMap({ schema.classIndex[$0] })
                else {
                    if named.contains(name) { return false }
                    continue
                }
                let (rules, others) = (role.classes[present], other.classes[rowClass.index])
                guard let rules, let others else {
                    if rules != nil || others != nil { return false }
                    continue
                }
                guard areSame(rules, others, schema.classes[present], rowClass, former) else {
                    return false
                }
            }
        }
        return true
    }

    private func areSame(
        _ rules: CompiledRole.ClassRules, _ others: CompiledRole.ClassRules,
        _ present: RowClass, _ wanted: RowClass, _ former: PastNames
    ) -> Bool {
        for (property, right) in zip(wanted.definition.properties, others.rights) {
            let member = former.property(property.name, wanted.definition.name)
                .flatMap { present.definition.propertyIndex(named: $0) }
            if right != member.map({ rules.rights[$0] }) ?? .write { return false }
        }
        return AccessAction.allCases.allSatisfy { action in
            zip(rules.conditions(action), others.conditions(action)).allSatisfy {
                ($0.1 == nil) == ($1.1 == nil) && areSame($0.1?.rule, $1.1?.rule, former)
            }
        }
    }

    /// Whether the names in both rules denote the same things, including the keys by which users and links are compared.
    private func areSame(_ rule: Rule?, _ other: Rule?, _ former: PastNames) -> Bool {
        guard let rule, let other else { return rule == nil && other == nil }
        return rule.meaning == former.names(other.meaning)
    }

    private var users: RowClass? { document.users.flatMap { schema.rowClass(named: $0) } }
}

/// Maps names in a wanted schema to names in the present schema; nil for a name that is new.
private struct PastNames {
    private let renames: SchemaRenames
    private let olds: Set<SchemaRenames.Name>
    private let news: Set<SchemaRenames.Name>

    init(_ renames: SchemaRenames) {
        self.renames = renames
        olds = Set(renames.entries.map(\.old))
        news = Set(renames.entries.map(\.new))
    }

    /// The present names of all given names; nil if one of them is new.
    func names(_ all: [SchemaRenames.Name]) -> [SchemaRenames.Name]? {
        let former = all.compactMap(name)
        return former.count == all.count ? former : nil
    }

    private func name(_ name: SchemaRenames.Name) -> SchemaRenames.Name? {
        guard let old = className(name.className) else { return nil }
        guard let property = name.property else { return SchemaRenames.Name(old) }
        return self.property(property, name.className).map { SchemaRenames.Name(old, $0) }
    }

    func className(_ name: String) -> String? {
        isNew(.init(name), else: .init(name)) ? nil : renames.oldName(ofClass: name)
    }

    func property(_ property: String, _ name: String) -> String? {
        guard let old = className(name), !isNew(.init(name, property), else: .init(old, property))
        else { return nil }
        return renames.oldName(ofProperty: property, inNew: name)
    }

    /// Whether no rename leads to the name, and the thing that had this name was renamed.
    private func isNew(_ name: SchemaRenames.Name, else same: SchemaRenames.Name) -> Bool {
        !news.contains(name) && olds.contains(same)
    }
}

// The document for a version that is pinned under a former schema.
extension AccessRules {
    /// Translates the document to a former schema. Rules apply to the same classes and properties, which are matched by number,
    /// not by name. Classes and properties that no longer exist are hidden, because no rule covers them.
    ///
    /// - Returns: The document. Nil if a name now denotes something else, so that a rule could apply to the wrong class or
    ///   property.
    func document(for former: RowSchema) throws(RequestFault) -> AccessDocument? {
        guard let renames = SchemaRenames(from: schema, to: former) else { return nil }
        var result = document
        result.users = try users(in: former, renames)
        for (index, role) in document.roles.enumerated() {
            let compiled = roles[index]
            let pointer = JSONPointer().appending("roles").appending(role.name)
            if let when = compiled.when {
                result.roles[index].when = try text(of: when, renames, pointer)
            }
            var entries: [(name: String, rules: AccessDocument.ClassRules)] = []
            for old in former.classes {
                guard let present = schema.classIndexByNumber[old.number],
                    let stated = role.rules(for: schema.classes[present].definition.name),
                    let rules = try rules(stated, present, compiled, of: old, renames, pointer)
                else { continue }
                entries.append((old.definition.name, rules))
            }
            result.roles[index].classes = entries
        }
        return result
    }

    /// The former name of the class of users; nil if there is no such class.
    private func users(
        in former: RowSchema, _ renames: SchemaRenames
    ) throws(RequestFault) -> String? {
        guard let name = document.users, let present = schema.rowClass(named: name),
            former.classIndexByNumber[present.number] != nil
        else { return nil }
        return renames.newName(ofClass: name)
    }

    /// The rules of a class, with the former names; nil if the class has no rules.
    private func rules(
        _ stated: AccessDocument.ClassRules, _ present: Int, _ role: CompiledRole,
        of old: RowClass, _ renames: SchemaRenames, _ pointer: JSONPointer
    ) throws(RequestFault) -> AccessDocument.ClassRules? {
        // A former version is never written to. So a class without a read rule is unknown there.
        guard role.classes[present] != nil, let read = stated.read else { return nil }
        var seen = AccessDocument.ClassRules()
        seen.read = read
        seen.properties = stated.properties
        var rules = try renamed(seen, present, role, renames, pointer)
        let names = old.definition.properties.map(\.name)
        rules.properties = rules.properties.filter { names.contains($0.name) }
        for (member, compiled) in old.members.enumerated()
        where schema.memberByNumber[compiled.number] == nil {
            // Objects cannot be named if their key property no longer exists.
            if member == old.primaryKeyIndex { return nil }
            rules.properties.append((names[member], PropertyRight.none))
        }
        return rules
    }
}

extension AccessDocument.Role {
    /// The rules for a class: its own, or the rules for each class that has no entry.
    fileprivate func rules(for className: String) -> AccessDocument.ClassRules? {
        classes.first { $0.name.isSame(as: className) }?.rules
            ?? classes.first { $0.name == AccessDocument.everyClass }?.rules
    }
}

extension SchemaRenames {
    /// The renames from one schema of a store to another, for classes and properties that both have. Nil if a name denotes
    /// something else there.
    fileprivate init?(from present: RowSchema, to former: RowSchema) {
        self.init()
        for old in former.classes {
            let namesake = present.rowClass(named: old.definition.name)
            if let namesake, namesake.number != old.number { return nil }
            guard let index = present.classIndexByNumber[old.number] else { continue }
            let own = present.classes[index]
            let name = own.definition.name
            if !name.isSame(as: old.definition.name) {
                entries.append(Entry(old: Name(name), new: Name(old.definition.name)))
            }
            for (member, compiled) in old.members.enumerated() {
                let property = old.definition.properties[member].name
                if let namesake = own.definition.propertyIndex(named: property),
                    own.members[namesake].number != compiled.number
                {
                    return nil
                }
                guard let place = present.memberByNumber[compiled.number], place.classIndex == index
                else { continue }
                let now = own.definition.properties[place.member].name
                if now != property {
                    entries.append(
                        Entry(old: Name(name, now), new: Name(old.definition.name, property)))
                }
            }
        }
    }
}
