import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// Explains to administrators why a principal may or may not do something with an object.
package struct AccessExplanation {
    /// The object to explain.
    package typealias Object = (rowClass: RowClass, key: UInt64, row: RowView)

    private let rules: AccessRules
    private let read: StoreView
    private let facts: PrincipalFacts
    private let isUser: Bool
    private let roles: [CompiledRole]

    /// Explains the rules of a document on an unrestricted view of the store.
    package init(
        _ rules: AccessRules, _ principal: Principal, on read: StoreView
    ) throws(StoreError) {
        let facts = try PrincipalFacts(principal, usersClass: rules.usersClass, on: read)
        let isUser = principal.user != nil
        roles = rules.roles.filter { rules.holds($0, for: facts, isUser: isUser) }
        (self.rules, self.read, self.facts, self.isUser) = (rules, read, facts, isUser)
    }

    /// Writes the state of each role and, if there is an object, of each action.
    ///
    /// - `object`: The object; nil for only the roles.
    /// - `access`: The user's block or sign-in horizon, which applies in addition to the rules; nil if there is none.
    package func write(_ object: Object?, _ access: UserAccess?, to writer: JSONWriter) {
        writer.object { reply in
            reply.member("revision").uint(rules.revision)
            if let access { reply.member("access").object { access.write(to: &$0) } }
            reply.member("roles").objects(of: rules.roles) { role, entry in
                let holds = rules.holds(role, for: facts, isUser: isUser)
                entry.member("role").string(role.name)
                entry.member("holds").bool(holds)
                if let when = role.when { entry.member("when").string(when.text) }
                if !holds { entry.member("reason").string(reason(role)) }
            }
            guard let object else { return }
            reply.member("actions").object { actions in
                for action in AccessAction.allCases {
                    actions.member(named: action.rawValue).object { write(action, object, to: &$0) }
                }
            }
            reply.member("properties").object { properties in
                let rights = propertyRights(object)
                for (property, right) in zip(object.rowClass.definition.properties, rights) {
                    properties.member(named: property.name).string(right.rawValue)
                }
            }
        }
    }

    /// The rights to each property of an object: the widest right of all roles that allow the action.
    private func propertyRights(_ object: Object) -> [PropertyRight] {
        func rights(_ action: AccessAction) -> [[PropertyRight]] {
            roles.compactMap { $0.classes[object.rowClass.index] }.filter { rules in
                rules.conditions(action).allSatisfy { refusal(by: $0.1, of: object) == nil }
            }.map(\.rights)
        }
        let (read, created) = (rights(.read), rights(.create))
        let changed = read.isEmpty ? [] : rights(.update)
        return object.rowClass.members.indices.map { member in
            // A hidden property cannot be written, and a key never changes.
            if !read.isEmpty, read.allSatisfy({ $0[member] == .none }) { return .none }
            let isKey = member == object.rowClass.primaryKeyIndex
            if !isKey, changed.contains(where: { $0[member] == .write }) { return .write }
            if created.contains(where: { $0[member] >= .create }) { return .create }
            return read.contains { $0[member] != .none } ? .read : .none
        }
    }

    private func reason(_ role: CompiledRole) -> String {
        if !isUser, !role.isForAnyone { return "The role is for users." }
        guard let when = role.when else { return "" }
        return lack(when) ?? "'when' is false."
    }

    /// Lists the values that a rule reads and the user lacks; nil if the user has them all.
    private func lack(_ rule: Rule) -> String? {
        let lacking = rule.references.filter { facts.value(of: $0) == nil }.map(\.text)
        if lacking.isEmpty { return nil }
        return "The user has no \(lacking.joined(separator: ", no "))."
    }

    /// Returns the reason why a condition does not admit an object; nil if it does.
    private func refusal(by condition: CompiledCondition?, of object: Object) -> String? {
        guard let condition else { return "The role has no rule for the action." }
        guard let rule = condition.rule else { return nil }
        if let lack = lack(rule) { return lack }
        let predicate = rule.predicate(for: facts)
        if predicate == .constant(false) {
            return
                "The user's value does not have the type that the rule compares it with, or the rule is false."
        }
        let matcher = predicate.makeMatcher(rules.schema, source: read)
        return matcher.matches(row: object.row, key: object.key, source: read)
            ? nil : "The rule does not admit the object."
    }

    private func write(_ action: AccessAction, _ object: Object, to entry: inout JSONObjectWriter) {
        var refusals: [(role: String, rule: String, reason: String)] = []
        for role in roles {
            guard let rules = role.classes[object.rowClass.index] else {
                refusals.append((role.name, "", "The role has no rules for the class."))
                continue
            }
            let conditions = rules.conditions(action)
            let refusal = conditions.lazy.compactMap { name, condition in
                self.refusal(by: condition, of: object).map { (name, condition, $0) }
            }.first
            guard let refusal else {
                if action == .update || action == .delete, !isRead(object) {
                    refusals.append(
                        (
                            role.name, "read",
                            "No role shows the object, which \(action.rawValue) needs."
                        ))
                    continue
                }
                entry.member("allowed").bool(true)
                entry.member("role").string(role.name)
                entry.member("rule").string(Self.texts(conditions).joined(separator: ", then "))
                return
            }
            refusals.append((role.name, refusal.1?.text ?? "", refusal.2))
        }
        entry.member("allowed").bool(false)
        entry.member("refusals").objects(of: refusals) { refusal, object in
            object.member("role").string(refusal.role)
            if !refusal.rule.isEmpty { object.member("rule").string(refusal.rule) }
            object.member("reason").string(refusal.reason)
        }
    }

    private func isRead(_ object: Object) -> Bool {
        roles.contains { role in
            role.classes[object.rowClass.index].map { refusal(by: $0.read, of: object) == nil }
                ?? false
        }
    }

    private static func texts(_ conditions: [(name: String, CompiledCondition?)]) -> [String] {
        var texts: [String] = []
        for (_, condition) in conditions {
            if let text = condition?.text, !texts.contains(text) { texts.append(text) }
        }
        return texts
    }
}

extension UserReference {
    /// The text of the reference in a rule.
    fileprivate var text: String {
        switch self {
        case .id: "$user.id"
        case .claim(let names): "$user." + names.joined(separator: ".")
        case .object: "$user.object with the properties that the rule names"
        }
    }
}
