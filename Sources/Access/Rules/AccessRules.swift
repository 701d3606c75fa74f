import HoldfastJSON
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

// What a document says, whatever classes and properties are called.
extension AccessRules {
    /// Whether the document means the same here as in a schema that takes the place of this one: no name of it is another thing's there.
    ///
    /// What keeps its name, or is renamed, counts as the same thing under another type, too.
    ///
    /// - `wanted`: The document with the names of that schema.
    func meansTheSame(as wanted: AccessRules, _ renames: SchemaRenames) -> Bool {
        let former = FormerNames(renames)
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
        _ present: RowClass, _ wanted: RowClass, _ former: FormerNames
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

    /// Whether each name in the one text is that of the same thing as in the other, with the keys by which users and links are compared.
    private func areSame(_ rule: Rule?, _ other: Rule?, _ former: FormerNames) -> Bool {
        guard let rule, let other else { return rule == nil && other == nil }
        return rule.meaning == former.names(other.meaning)
    }

    private var users: RowClass? { document.users.flatMap { schema.rowClass(named: $0) } }
}

/// The names that what a wanted schema names has in the present one; nil for what is new there.
private struct FormerNames {
    private let renames: SchemaRenames
    private let olds: Set<SchemaRenames.Name>
    private let news: Set<SchemaRenames.Name>

    init(_ renames: SchemaRenames) {
        self.renames = renames
        olds = Set(renames.entries.map(\.old))
        news = Set(renames.entries.map(\.new))
    }

    /// All of them; nil where one is new.
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
        guard let old = className(name),
            !isNew(.init(name, property), else: .init(old, property))
        else { return nil }
        return renames.oldName(ofProperty: property, inNew: name)
    }

    /// Whether nothing has become it, and what was called so is called otherwise now.
    private func isNew(_ name: SchemaRenames.Name, else same: SchemaRenames.Name) -> Bool {
        !news.contains(name) && olds.contains(same)
    }
}

// The document beside a version that is pinned under another schema.
extension AccessRules {
    /// The document as it says of a former schema what it says of this one: of the same classes and properties, by their numbers, whatever
    /// they were called. What has gone since is hidden, as nobody knows what it would say of that.
    ///
    /// - Returns: It; nil where a name is another thing's by now, so that the document could say of the one what it says of the other.
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

    /// The name of the class of users; nil where there is none.
    private func users(
        in former: RowSchema, _ renames: SchemaRenames
    ) throws(RequestFault) -> String? {
        guard let name = document.users, let present = schema.rowClass(named: name),
            former.classIndexByNumber[present.number] != nil
        else { return nil }
        return renames.newName(ofClass: name)
    }

    /// The rules of a class as they were to be stated of it; nil for none.
    private func rules(
        _ stated: AccessDocument.ClassRules, _ present: Int, _ role: CompiledRole,
        of old: RowClass, _ renames: SchemaRenames, _ pointer: JSONPointer
    ) throws(RequestFault) -> AccessDocument.ClassRules? {
        // Nothing is written to a version that was: a class of which nothing is read is unknown there.
        guard role.classes[present] != nil, let read = stated.read else { return nil }
        var seen = AccessDocument.ClassRules()
        seen.read = read
        seen.properties = stated.properties
        var rules = try renamed(seen, present, role, renames, pointer)
        let names = old.definition.properties.map(\.name)
        rules.properties = rules.properties.filter { names.contains($0.name) }
        for (member, compiled) in old.members.enumerated()
        where schema.memberByNumber[compiled.number] == nil {
            // Objects of which the key has gone can't be named.
            if member == old.primaryKeyIndex { return nil }
            rules.properties.append((names[member], PropertyRight.none))
        }
        return rules
    }
}

extension AccessDocument.Role {
    /// The rules for a class: its own, or those for each class without any.
    fileprivate func rules(for className: String) -> AccessDocument.ClassRules? {
        classes.first { $0.name.isSame(as: className) }?.rules
            ?? classes.first { $0.name == AccessDocument.everyClass }?.rules
    }
}

extension SchemaRenames {
    /// The other names that what two schemas of one store have in common has in the second; nil where a name is another thing's there.
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
