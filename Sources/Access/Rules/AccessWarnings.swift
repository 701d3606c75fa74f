import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// The warnings for the author of an access document. They do not make the document invalid.
struct AccessWarnings {
    private(set) var all: [RequestFault.Entry] = []
    private let roles: [CompiledRole]
    private let schema: RowSchema

    init(_ document: AccessDocument, _ roles: [CompiledRole], _ schema: RowSchema) {
        self.roles = roles
        self.schema = schema
        for (role, compiled) in zip(document.roles, roles) {
            let pointer = JSONPointer().appending("roles").appending(role.name)
            if let when = compiled.when {
                let place = (pointer.appending("when"), "Role '\(role.name)', when")
                warnOfTaking(when, place.0, place.1)
                warnOfWording(when, "when", mayLackID: role.isForAnyone, place.0, place.1)
            }
            for rowClass in schema.classes {
                guard let rules = compiled.classes[rowClass.index] else { continue }
                let name = rowClass.definition.name
                let isNamed = role.classes.contains { $0.name.isSame(as: name) }
                warn(
                    of: rules, rowClass, mayLackID: role.isForAnyone,
                    pointer.appending("classes")
                        .appending(isNamed ? name : AccessDocument.everyClass),
                    "Role '\(role.name)', class '\(name)', ")
            }
        }
    }

    /// Warns of actions on objects that cannot be read. Such actions have no effect.
    private mutating func warnOfUnread(
        _ rules: CompiledRole.ClassRules, _ rowClass: RowClass, _ pointer: JSONPointer,
        _ words: String
    ) {
        let actions = [(AccessAction.update, rules.before), (.delete, rules.delete)]
        guard let (action, _) = actions.first(where: { $0.1 != nil }),
            !roles.contains(where: { $0.classes[rowClass.index]?.read != nil })
        else { return }
        note(
            "no-read", pointer.appending(action.rawValue).description,
            words
                + "\(action.rawValue): no role lets users read objects of the class, and hidden objects can't "
                + "be updated or deleted. Add 'read'.")
    }

    private mutating func warn(
        of rules: CompiledRole.ClassRules, _ rowClass: RowClass, mayLackID: Bool,
        _ pointer: JSONPointer, _ words: String
    ) {
        warnOfUnread(rules, rowClass, pointer, words)
        for action in AccessAction.allCases {
            var seen: Set<ExactText> = []
            for (_, condition) in rules.conditions(action) {
                guard let rule = condition?.rule, seen.insert(rule.text) else { continue }
                let place = (pointer.appending(action.rawValue), words + action.rawValue)
                warnOfTaking(rule, place.0, place.1)
                warnOfWording(rule, action.rawValue, mayLackID: mayLackID, place.0, place.1)
            }
        }
        guard let sample = rules.read?.rule?.sample else { return }
        let place = pointer.appending("read").description
        guard let all = missing(sample, rowClass) else {
            return note(
                "no-index", place,
                words
                    + "read: no index can serve this rule, so each list reads every object of the class."
            )
        }
        var names: [String] = []
        for missing in all {
            let property = missing.rowClass.definition.properties[missing.member].name
            let name = "\(missing.rowClass.definition.name).\(property)"
            if !names.contains(name) { names.append(name) }
        }
        if let first = names.first {
            let each = names.map { "'\($0)'" }.joined(separator: " with one of ")
            note(
                "no-index", place,
                words
                    + "read: no index serves this rule, so each list reads every object of "
                    + "the class. An index of \(each) would help.", hint: first)
        }
    }

    /// The missing indexes that a condition needs; empty if an index serves it already, nil if no index can serve it.
    private func missing(_ condition: Predicate, _ rowClass: RowClass) -> [MissingIndex]? {
        switch condition {
        case .and(let parts):
            let each = parts.compactMap { missing($0, rowClass) }
            return each.first(where: \.isEmpty) ?? each.first
        case .or(let parts):
            var all: [MissingIndex] = []
            for part in parts {
                guard let own = missing(part, rowClass) else { return nil }
                all += own
            }
            return all
        default:
            var link: LinkConstraint?
            if case .comparison(let comparison) = condition {
                link = comparison.linkConstraint(schema)
            }
            // Inverse links serve a link to the user.
            if case .objects? = link?.far { return [] }
            if MissingIndex.couldServe(condition, rowClass, schema) {
                return MissingIndex(of: condition, sort: [], rowClass: rowClass, schema).map {
                    [$0]
                } ?? []
            }
            // An index of the linked class serves it, followed by inverse links.
            guard let link, case .matching(let far) = link.far else { return nil }
            return missing(far, schema.classes[link.link.toClass])
        }
    }

    /// Warns of a rule text that means something other than it seems to.
    ///
    /// - `member`: The name of the member of the role, or of its rules for a class, that has the rule.
    private mutating func warnOfWording(
        _ rule: Rule, _ member: String, mayLackID: Bool, _ pointer: JSONPointer, _ words: String
    ) {
        for quoted in rule.quotedUsers {
            let shown = RequestFault.shown(quoted.text)
            note(
                "quoted-user", pointer.description,
                words
                    + ", column \(quoted.column): '\(shown)' is in quotes, so it is a text and not a value of the user. "
                    + "Write it without quotes.", hint: shown)
        }
        let alternatives = rule.unevenAlternatives(mayLackID: mayLackID)
        var texts: [String] = []
        for reference in alternatives.flatMap(\.references) + rule.negatedClaims {
            let text = "'\(RequestFault.shown(reference))'"
            if !texts.contains(text) { texts.append(text) }
        }
        guard !texts.isEmpty else { return }
        let roles = alternatives.map { alternative in
            let text = "\"\(RequestFault.shown(alternative.text))\""
            return member != "when" && alternative.isOfUser
                ? "{\"when\": \(text), \"\(member)\": true}" : "{\"\(member)\": \(text)}"
        }
        note(
            "lacked-value", pointer.description,
            words
                + ": a rule allows nothing to a user without a value that it names, even with OR or NOT. Accounts have no claims. "
                + "This rule refuses each user without \(texts.joined(separator: " or without ")). "
                + (roles.isEmpty
                    ? "Name the users that may, instead of the users that may not, or give every user a value."
                    : "Make one role for each alternative: \(roles.joined(separator: " and "))."))
    }

    /// Warns if users may write values that a rule reads from their own object, or from objects it leads to: they could grant
    /// themselves access.
    private mutating func warnOfTaking(_ rule: Rule, _ pointer: JSONPointer, _ words: String) {
        var seen: Set<Dependency> = []
        for case .object(let path) in rule.references {
            for read in path.dependencies(schema) where seen.insert(read).inserted {
                guard let role = writer(of: read) else { continue }
                let definition = schema.classes[read.classIndex].definition
                note(
                    "own-object", pointer.description,
                    words
                        + ": it reads '\(definition.name).\(definition.properties[read.member].name)' "
                        + (read.path.isEmpty ? "of" : "behind") + " the user's object, "
                        + "which the role '\(role)' lets users write: each user can set it to any value.",
                    hint: "read")
            }
        }
    }

    /// The first role that may write a property of a user's object, or of an object that it leads to.
    private func writer(of read: Dependency) -> String? {
        // A new object can be reached from the user's object if it links there itself.
        let isReachedByNew = read.path.allSatisfy { $0.kind == .inverse }
        return roles.first { role in
            guard let rules = role.classes[read.classIndex] else { return false }
            return rules.before != nil && rules.rights[read.member] == .write
                || isReachedByNew && rules.create != nil && rules.rights[read.member] >= .create
        }?.name
    }

    private mutating func note(
        _ code: String, _ pointer: String, _ detail: String, hint: String? = nil
    ) {
        // As with faults, only the first warnings are reported.
        guard all.count < FaultList.entryCountMax else { return }
        all.append(RequestFault.Entry(code: code, detail: detail, pointer: pointer, hint: hint))
    }
}
