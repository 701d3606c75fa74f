import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// The document under schema changes: renames are applied to it, and classes and properties that it names cannot be removed.
extension AccessRules {
    /// Makes the text of a stored document for the schema that replaces the present one.
    ///
    /// - Throws: ``StoreError`` `.refused` with a ``RequestFault`` `.conflict` if the document would be invalid in it.
    package static func text(
        of stored: StoredDocument, _ present: Catalog, _ wanted: Catalog, _ renames: SchemaRenames
    ) throws(StoreError) -> String {
        // A document that is already invalid, written by a newer program, does not prevent the change.
        guard let read = try? AccessReader.read(text: stored.text),
            let rules = try? AccessRules(read, schema: present.rows)
        else { return stored.text }
        do throws(RequestFault) {
            let renamed = try rules.renamed(renames, in: wanted.rows)
            let others = try AccessRules(renamed, schema: wanted.rows)
            guard rules.meansTheSame(as: others, renames) else {
                throw RequestFault(
                    .conflict, "access-in-use",
                    "A rule would then name a different class, property or primary key.")
            }
            return renamed == read ? stored.text : renamed.text
        } catch {
            throw .refused(
                RequestFault(
                    .conflict, "access-in-use",
                    "Change the access document first, with PUT /v1/access: it is not valid in the new schema. "
                        + error.detail, errors: error.errors))
        }
    }

    /// The document with the new names of classes and properties.
    private func renamed(
        _ renames: SchemaRenames, in wanted: RowSchema
    ) throws(RequestFault) -> AccessDocument {
        var result = document
        result.users = document.users.map { renames.newName(ofClass: $0) }
        for (index, role) in document.roles.enumerated() {
            let pointer = JSONPointer().appending("roles").appending(role.name)
            if let when = roles[index].when {
                result.roles[index].when = try text(of: when, renames, pointer)
            }
            var entries: [(name: String, rules: AccessDocument.ClassRules)] = []
            for entry in role.classes {
                if entry.name == AccessDocument.everyClass {
                    entries += try every(entry.rules, role, roles[index], renames, wanted, pointer)
                } else if let classIndex = schema.classIndex[entry.name] {
                    entries.append(
                        (
                            renames.newName(ofClass: entry.name),
                            try renamed(entry.rules, classIndex, roles[index], renames, pointer)
                        ))
                }
            }
            result.roles[index].classes = entries
        }
        return result
    }

    /// The entry for every class. Classes for which it would change its meaning get entries of their own.
    private func every(
        _ rules: AccessDocument.ClassRules, _ role: AccessDocument.Role, _ compiled: CompiledRole,
        _ renames: SchemaRenames, _ wanted: RowSchema, _ pointer: JSONPointer
    ) throws(RequestFault) -> [(name: String, rules: AccessDocument.ClassRules)] {
        var own: [(name: String, rules: AccessDocument.ClassRules)] = []
        for rowClass in schema.classes where compiled.classes[rowClass.index] != nil {
            let name = rowClass.definition.name
            let newName = renames.newName(ofClass: name)
            guard !role.classes.contains(where: { $0.name.isSame(as: name) }),
                wanted.classIndex[newName] != nil
            else { continue }
            own.append((newName, try renamed(rules, rowClass.index, compiled, renames, pointer)))
        }
        if let first = own.first?.rules, own.allSatisfy({ $0.rules == first }) {
            return [(AccessDocument.everyClass, first)]
        }
        return [(AccessDocument.everyClass, rules)] + own.filter { $0.rules != rules }
    }

    /// The rules of a class with the new names.
    func renamed(
        _ stated: AccessDocument.ClassRules, _ classIndex: Int, _ role: CompiledRole,
        _ renames: SchemaRenames, _ pointer: JSONPointer
    ) throws(RequestFault) -> AccessDocument.ClassRules {
        guard let compiled = role.classes[classIndex] else { return stated }
        func condition(
            _ stated: AccessDocument.Condition, _ compiled: CompiledCondition?
        ) throws(RequestFault) -> AccessDocument.Condition {
            guard let rule = compiled?.rule else { return stated }
            return .filter(try text(of: rule, renames, pointer))
        }
        var rules = stated
        if let read = rules.read { rules.read = try condition(read, compiled.read) }
        if let create = rules.create { rules.create = try condition(create, compiled.create) }
        if let delete = rules.delete { rules.delete = try condition(delete, compiled.delete) }
        if let update = rules.update {
            rules.update = AccessDocument.Change(
                before: try condition(update.before, compiled.before),
                after: try condition(update.after, compiled.after))
        }
        let name = schema.classes[classIndex].definition.name
        rules.properties = rules.properties.map { property, right in
            (renames.newName(ofProperty: property, inOld: name), right)
        }
        return rules
    }

    func text(
        of rule: Rule, _ renames: SchemaRenames, _ pointer: JSONPointer
    ) throws(RequestFault) -> String {
        do throws(QueryError) { return try rule.text(after: renames) } catch {
            throw RequestFault(error, parameter: nil, pointer: pointer.description)
        }
    }
}
