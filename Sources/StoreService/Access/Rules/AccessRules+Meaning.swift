import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows

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
