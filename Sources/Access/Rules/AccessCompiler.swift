import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows
import HoldfastText

/// Checks an access document against a schema and collects every fault.
struct AccessCompiler {
    private(set) var faults = FaultList()
    private(set) var roles: [CompiledRole] = []
    private(set) var usersClass: Int?
    let document: AccessDocument
    let schema: RowSchema

    /// A position in the document.
    private struct Place {
        var pointer: JSONPointer
        var words: String

        func into(_ member: String) -> JSONPointer { pointer.appending(member) }
    }

    mutating func compile() {
        guard ruleCount <= Self.ruleCountMax else {
            return fault(
                JSONPointer().appending("roles"), "too-large",
                "The roles have \(ruleCount) rules for classes; \(Self.ruleCountMax) are allowed. '*' counts once for each of its classes."
            )
        }
        if let name = document.users { usersClass = users(name) }
        for role in document.roles { roles.append(compile(role)) }
        let known = Set(
            schema.classes.indices.filter { index in
                roles.contains {
                    $0.classes[index]?.read != nil || $0.classes[index]?.create != nil
                }
            })
        for role in roles { checkTargets(role, known) }
    }

    /// Refuses a right to create objects with a required link to a class that no role lets read or create.
    ///
    /// - `known`: The classes that some role lets read or create, by position.
    private mutating func checkTargets(_ role: CompiledRole, _ known: Set<Int>) {
        for rowClass in schema.classes where role.classes[rowClass.index]?.create != nil {
            for (member, compiled) in rowClass.members.enumerated()
            where compiled.isRequired && compiled.storage.element == .link {
                if known.contains(compiled.classIndex) { continue }
                let names = (
                    rowClass.definition.name, rowClass.definition.properties[member].name,
                    schema.classes[compiled.classIndex].definition.name
                )
                fault(
                    JSONPointer().appending("roles").appending(role.name), "invalid-access",
                    "Role '\(role.name)': objects of class '\(names.0)' may be created, but the required property '\(names.1)' links to "
                        + "class '\(names.2)', which users can't read or create.", hint: nil)
            }
        }
    }

    /// The maximum of rules for classes, since each is compiled, and prepared for each user.
    private static let ruleCountMax = 10_000

    /// The number of rules for classes in all roles.
    private var ruleCount: Int {
        document.roles.reduce(0) { sum, role in
            let isForAll = role.classes.contains { $0.name == AccessDocument.everyClass }
            return sum + (isForAll ? schema.classes.count : role.classes.count)
        }
    }

    private mutating func users(_ name: String) -> Int? {
        let schema = schema
        let pointer = JSONPointer().appending("users")
        guard let rowClass = schema.rowClass(named: name) else {
            fault(
                pointer, "unknown-class", "There is no class '\(RequestFault.shown(name))'.",
                hint: NearestName.of(name, among: schema.definition.classes.lazy.map(\.name)))
            return nil
        }
        guard rowClass.definition.kind == .object, let member = rowClass.primaryKeyIndex,
            let key = rowClass.definition.properties[member].scalar,
            [.string, .uuid, .objectID].contains(key) || key.widened == .int
        else {
            fault(
                pointer, "invalid-access",
                "'users' is a class of objects whose primary key is the user's id: a string, an int, a uuid or an "
                    + "objectId.")
            return nil
        }
        return rowClass.index
    }

    private mutating func compile(_ role: AccessDocument.Role) -> CompiledRole {
        let place = Place(
            pointer: JSONPointer().appending("roles").appending(role.name),
            words: "Role '\(role.name)'")
        var compiled = CompiledRole(
            name: role.name, isForAnyone: role.isForAnyone,
            when: role.when.flatMap { text in
                rule(text, nil, place.into("when"), place.words + ", when")
            }, classes: Array(repeating: nil, count: schema.classes.count))
        var named: Set<Int> = []
        let schema = schema
        for (name, rules) in role.classes where name != AccessDocument.everyClass {
            let inner = Place(
                pointer: place.into("classes").appending(name),
                words: place.words + ", class '\(RequestFault.shown(name))'")
            guard let rowClass = schema.rowClass(named: name) else {
                fault(
                    inner.pointer, "unknown-class", inner.words + ": there is no such class.",
                    hint: NearestName.of(name, among: schema.definition.classes.lazy.map(\.name)))
                continue
            }
            guard rowClass.definition.kind != .embedded else {
                fault(
                    inner.pointer, "invalid-access",
                    inner.words
                        + ": it is embedded; the rights to the object that contains it decide.")
                continue
            }
            named.insert(rowClass.index)
            compiled.classes[rowClass.index] = compile(rules, rowClass, inner)
        }
        guard let every = role.classes.first(where: { $0.name == AccessDocument.everyClass })?.rules
        else { return compiled }
        for rowClass in schema.classes
        where rowClass.definition.kind != .embedded && !named.contains(rowClass.index) {
            let inner = Place(
                pointer: place.into("classes").appending(AccessDocument.everyClass),
                words: place.words + ", class '*' for '\(rowClass.definition.name)'")
            compiled.classes[rowClass.index] = compile(every, rowClass, inner)
        }
        return compiled
    }

    private mutating func compile(
        _ rules: AccessDocument.ClassRules, _ rowClass: RowClass, _ place: Place
    ) -> CompiledRole.ClassRules {
        func condition(
            _ stated: AccessDocument.Condition?, _ pointer: JSONPointer, _ action: String
        ) -> CompiledCondition? {
            switch stated {
            case nil: return nil
            case .any: return CompiledCondition(rule: nil)
            case .filter(let text):
                return rule(text, rowClass, pointer, place.words + ", " + action)
                    .map { CompiledCondition(rule: $0) }
            }
        }
        let update = place.into("update")
        let isOne = rules.update.map { $0.before == $0.after } ?? true
        let before = condition(
            rules.update?.before, isOne ? update : update.appending("before"), "update")
        let compiled = CompiledRole.ClassRules(
            place: place.pointer.description,
            read: condition(rules.read, place.into("read"), "read"),
            create: condition(rules.create, place.into("create"), "create"), before: before,
            after: isOne
                ? before : condition(rules.update?.after, update.appending("after"), "update"),
            delete: condition(rules.delete, place.into("delete"), "delete"),
            rights: rights(rules, rowClass, place))
        if rules.create != nil { checkStated(compiled.rights, rowClass, place) }
        return compiled
    }

    private mutating func rights(
        _ rules: AccessDocument.ClassRules, _ rowClass: RowClass, _ place: Place
    ) -> [PropertyRight] {
        var rights = rowClass.members.map { _ in PropertyRight.write }
        var stated: Set<Int> = []
        for (name, right) in rules.properties {
            let pointer = place.into("properties").appending(name)
            guard let member = rowClass.member(named: name) else {
                fault(
                    pointer, "unknown-property",
                    place.words + ": there is no property '\(RequestFault.shown(name))'.",
                    hint: NearestName.of(
                        name, among: rowClass.definition.properties.lazy.map(\.name)))
                continue
            }
            if right == .none, member == rowClass.primaryKeyIndex {
                fault(
                    pointer, "invalid-access",
                    place.words + ": '\(name)' is the primary key, which can't be hidden.",
                    hint: "create")
            }
            if !stated.insert(member).inserted {
                fault(
                    pointer, "invalid-access",
                    place.words
                        + ": '\(RequestFault.shown(name))' has its right already, under the property's other name."
                )
            }
            rights[member] = right
        }
        return rights
    }

    /// Refuses a right to create objects if a value that has to be given may not be set.
    private mutating func checkStated(
        _ rights: [PropertyRight], _ rowClass: RowClass, _ place: Place
    ) {
        for (member, property) in rowClass.definition.properties.enumerated()
        where rights[member] < .create {
            // Numbered keys, UUIDs and object ids are generated if they are omitted.
            let isMade =
                rowClass.numbersKeys || property.scalar == .uuid || property.scalar == .objectID
            let isKey = member == rowClass.primaryKeyIndex && !isMade
            // The service fills in the user.
            let isStated = property.isRequired && property.defaultValue != .user
            guard isKey || isStated else { continue }
            fault(
                place.into("properties").appending(property.name), "invalid-access",
                place.words
                    + ": objects may be created, but their required property '\(property.name)' may not be set.",
                hint: "create")
        }
    }

    private mutating func rule(
        _ text: String, _ rowClass: RowClass?, _ pointer: JSONPointer, _ words: String
    ) -> Rule? {
        do throws(QueryError) {
            return try Rule(
                text, rootClass: rowClass?.index, usersClass: usersClass, schema: schema,
                within: RequestScratch.current.budget)
        } catch {
            let fault = RequestFault(error, parameter: nil, pointer: pointer.description)
            for entry in fault.errors {
                var entry = entry
                entry.detail = "\(words), column \(error.column): \(error.message)"
                if text == "true" { entry.hint = "true, without quotes" }
                if text.isEmpty { entry.hint = "true" }
                advise(at: error.column, of: text, &entry)
                if error.kind == .unknownProperty, let path = path(of: error, in: text) {
                    entry.hint = path
                }
                faults.note(entry)
            }
            return nil
        }
    }

    /// The path of the user's value that lacks its `$` where a name is unknown; nil for other names.
    private func path(of error: QueryError, in text: String) -> String? {
        let rest = text.unicodeScalars.dropFirst(max(0, error.column - 1))
        let end = rest.firstIndex {
            let isLetterOrDigit = $0.properties.isAlphabetic || $0.properties.numericType != nil
            return !isLetterOrDigit && $0 != "." && $0 != "_"
        }
        let path = "$" + String(rest[..<(end ?? rest.endIndex)])
        return path == "$user.id" || path.hasPrefix("$user.object.") && usersClass != nil
            ? path : nil
    }

    /// Adds the counterpart of the word of another product at a fault.
    private func advise(at column: Int, of text: String, _ entry: inout RequestFault.Entry) {
        let blank = text.unicodeScalars.prefix(max(0, column - 1)).lastIndex(of: " ")
        let rest = text[(blank ?? text.startIndex)...].drop { $0 == " " }
        let word = rest.prefix { $0 != " " }
        if word.hasPrefix("resource.data.") { entry.hint = String(word.dropFirst(14)) }
        guard Self.otherUsers.contains(where: word.lowercased().contains) else { return }
        let advice = entry.detail.firstRange(of: "; a text needs")
        if let advice { entry.detail.removeSubrange(advice.lowerBound...) }
        let test = rest.dropFirst(word.count).filter { $0 != " " }
        let isOfSignedIn = ["!=null", "!=''", "!=\"\""].contains { test.hasPrefix($0) }
        entry.hint = isOfSignedIn ? nil : "$user.id"
        if isOfSignedIn {
            entry.detail +=
                "; write true: a role is for signed-in users, unless it has \"for\": \"anyone\""
        }
    }

    /// The user's id in the rules of other products.
    private static let otherUsers = [
        "request.auth", "auth.uid", "auth.jwt", "%%user", "$uid", "current_user", "x-hasura-user",
    ]

    private mutating func fault(
        _ pointer: JSONPointer, _ code: String, _ detail: String,
        hint: @autoclosure () -> String? = nil
    ) {
        faults.note(code, detail, at: pointer, hint: hint())
    }
}
