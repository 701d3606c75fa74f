import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows

// What a document says, whatever classes and properties are called.
extension AccessRules {
    /// Whether the document means the same here as in a schema that takes the place of this one: no name of it is another thing's there.
    ///
    /// A class or property of a new number, under the name of one that goes, counts as that one: its type is another one.
    func meansTheSame(as wanted: AccessRules) -> Bool {
        let meaning = Meaning(present: schema, wanted: wanted.schema)
        guard document.users == nil || meaning.areSame(users(schema), wanted.users(wanted.schema))
        else { return false }
        for (index, (role, other)) in zip(roles, wanted.roles).enumerated() {
            guard meaning.reads(role.when, schema) == meaning.reads(other.when, wanted.schema)
            else { return false }
            let named = Set(wanted.document.roles[index].classes.map(\.name))
            if named.count < wanted.document.roles[index].classes.count { return false }
            for rowClass in wanted.schema.classes {
                let rules = other.classes[rowClass.index]
                guard let present = meaning.presentClass(of: rowClass) else {
                    if named.contains(rowClass.definition.name) { return false }
                    continue
                }
                guard
                    meaning.areSame(
                        role.classes[present.index], present, rules, rowClass, schema,
                        wanted.schema)
                else { return false }
            }
        }
        return true
    }

    private func users(_ schema: RowSchema) -> RowClass? {
        document.users.flatMap { schema.rowClass(named: $0) }
    }

    /// The numbers that classes and properties of two schemas have in common.
    private struct Meaning {
        let present: RowSchema
        let wanted: RowSchema

        /// The class that one of the wanted schema was; nil for a new one.
        func presentClass(of rowClass: RowClass) -> RowClass? {
            if let index = present.classIndexByNumber[rowClass.number] {
                return present.classes[index]
            }
            let namesake = present.rowClass(named: rowClass.definition.name)
            return namesake.flatMap { wanted.classIndexByNumber[$0.number] == nil ? $0 : nil }
        }

        func areSame(_ own: RowClass?, _ other: RowClass?) -> Bool {
            other.flatMap(presentClass)?.number == own?.number
        }

        /// The property that one of a class of the wanted schema was; nil for a new one.
        private func presentMember(_ member: Int, of rowClass: RowClass, in own: RowClass) -> Int? {
            let number = rowClass.members[member].number
            if let place = present.memberByNumber[number] {
                return place.classIndex == own.index ? place.member : nil
            }
            let name = rowClass.definition.properties[member].name
            guard let namesake = own.definition.propertyIndex(named: name),
                wanted.memberByNumber[own.members[namesake].number] == nil
            else { return nil }
            return namesake
        }

        func areSame(
            _ rules: CompiledRole.ClassRules?, _ own: RowClass,
            _ others: CompiledRole.ClassRules?, _ rowClass: RowClass, _ schema: RowSchema,
            _ otherSchema: RowSchema
        ) -> Bool {
            guard let rules, let others else { return rules == nil && others == nil }
            for (member, right) in others.rights.enumerated() {
                let former = presentMember(member, of: rowClass, in: own)
                if right != former.map({ rules.rights[$0] }) ?? .write { return false }
            }
            return AccessAction.allCases.allSatisfy { action in
                zip(rules.conditions(action), others.conditions(action)).allSatisfy {
                    ($0.1 == nil) == ($1.1 == nil)
                        && reads($0.1?.rule, schema) == reads($1.1?.rule, otherSchema)
                }
            }
        }

        /// The properties that a rule reads, by the numbers that they have in the present schema, or have anew.
        func reads(_ rule: Rule?, _ schema: RowSchema) -> Set<[UInt32]> {
            guard let rule else { return [] }
            var all = rule.sample?.dependencies(schema) ?? []
            for case .object(let path) in rule.references { all += path.dependencies(schema) }
            var found: Set<[UInt32]> = []
            // What any class could be behind is not named.
            for read in all where read.firstMember != nil {
                if read.path.contains(where: { $0.kind == .mixedLinks }) { continue }
                let way = read.path.map { step in
                    number(
                        step.member, step.kind == .inverse ? step.toClass : step.fromClass, schema)
                }
                found.insert(way + [number(read.member, read.classIndex, schema)])
            }
            return found
        }

        private func number(_ member: Int, _ classIndex: Int, _ schema: RowSchema) -> UInt32 {
            guard schema.classes.indices.contains(classIndex),
                schema.classes[classIndex].members.indices.contains(member)
            else { return 0 }
            let rowClass = schema.classes[classIndex]
            if schema === wanted, let own = presentClass(of: rowClass),
                let former = presentMember(member, of: rowClass, in: own)
            {
                return own.members[former].number
            }
            return rowClass.members[member].number
        }
    }
}
