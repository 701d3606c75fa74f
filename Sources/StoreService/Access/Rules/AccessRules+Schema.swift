import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery

/// The document beside changes of the schema: renames change it, and what it names stays.
extension AccessRules {
    /// Makes the text of a stored document for the schema that replaces the present one.
    ///
    /// - Throws: ``StoreError`` `.refused` with a ``RequestFault`` `.conflict` where the document does not hold in it.
    package static func text(
        of stored: StoredDocument, _ present: Catalog, _ wanted: Catalog,
        _ renames: SchemaRenames
    ) throws(StoreError) -> String {
        // One that does not hold already, of a program that knew more, is nobody's fault now.
        guard let read = try? AccessReader.read(text: stored.text),
            let rules = try? AccessRules(read, schema: present.rows)
        else { return stored.text }
        do throws(RequestFault) {
            let renamed = try rules.renamed(renames)
            _ = try AccessRules(renamed, schema: wanted.rows)
            return renamed == read ? stored.text : renamed.text
        } catch {
            throw .refused(
                RequestFault(
                    .conflict, "access-in-use",
                    "Change the access document first, with PUT /v1/access: it does not hold in the new schema. "
                        + error.detail, errors: error.errors))
        }
    }

    /// The document with the names that classes and properties have in another schema.
    private func renamed(_ renames: SchemaRenames) throws(RequestFault) -> AccessDocument {
        var result = document
        result.users = document.users.map { renames.newName(ofClass: $0) }
        for (index, role) in document.roles.enumerated() {
            let pointer = JSONPointer().appending("roles").appending(role.name)
            if let when = roles[index].when {
                result.roles[index].when = try text(of: when, renames, pointer)
            }
            for (position, entry) in role.classes.enumerated() {
                result.roles[index].classes[position] = try renamed(
                    entry, roles[index], renames, pointer)
            }
        }
        return result
    }

    private func renamed(
        _ entry: (name: String, rules: AccessDocument.ClassRules), _ role: CompiledRole,
        _ renames: SchemaRenames, _ pointer: JSONPointer
    ) throws(RequestFault) -> (name: String, rules: AccessDocument.ClassRules) {
        guard let classIndex = schema.classIndex[entry.name],
            let compiled = role.classes[classIndex]
        else { return entry }
        func condition(
            _ stated: AccessDocument.Condition, _ compiled: CompiledCondition?
        ) throws(RequestFault) -> AccessDocument.Condition {
            guard let rule = compiled?.rule else { return stated }
            return .filter(try text(of: rule, renames, pointer))
        }
        var rules = entry.rules
        if let read = rules.read { rules.read = try condition(read, compiled.read) }
        if let create = rules.create { rules.create = try condition(create, compiled.create) }
        if let delete = rules.delete { rules.delete = try condition(delete, compiled.delete) }
        if let update = rules.update {
            rules.update = AccessDocument.Change(
                before: try condition(update.before, compiled.before),
                after: try condition(update.after, compiled.after))
        }
        rules.properties = rules.properties.map { name, right in
            (renames.newName(ofProperty: name, inOld: entry.name), right)
        }
        return (renames.newName(ofClass: entry.name), rules)
    }

    private func text(
        of rule: Rule, _ renames: SchemaRenames, _ pointer: JSONPointer
    ) throws(RequestFault) -> String {
        do throws(QueryError) { return try rule.text(after: renames) } catch {
            throw RequestFault(error, parameter: nil, pointer: pointer.description)
        }
    }
}
