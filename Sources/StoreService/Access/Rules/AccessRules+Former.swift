import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastRows

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
