import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// The rights of a principal: a plain value, equal for all whose roles and values that rules read are equal.
package struct AccessView: Hashable, Sendable {
    /// The rules of a role for the objects of a class, as conditions on the bare store; the constant false is nothing.
    package struct ClassRules: Hashable, Sendable {
        /// The objects that are seen.
        package var read: Predicate
        /// The properties that are not seen, by their positions.
        package var hidden = MemberSet()
        /// The changes that may be made; its place is empty for those of a token's right.
        package var writing: WriteRights.Role

        init(_ rules: CompiledRole.ClassRules, for user: some UserFacts) {
            func predicate(_ condition: CompiledCondition?) -> Predicate {
                condition?.predicate(for: user) ?? .constant(false)
            }
            read = predicate(rules.read)
            hidden = rules.hidden
            writing = WriteRights.Role(
                place: rules.place, create: predicate(rules.create),
                before: predicate(rules.before), after: predicate(rules.after),
                delete: predicate(rules.delete), stated: rules.stated,
                changed: rules.changed)
        }

        /// The conditions of a right.
        init(_ right: Right, of rowClass: RowClass) {
            let (change, all) = (
                Predicate.constant(right >= .write), MemberSet(below: rowClass.members.count)
            )
            read = .constant(right >= .read)
            writing = WriteRights.Role(
                place: "", create: change, before: change, after: change, delete: change,
                stated: all, changed: all)
        }
    }

    /// A role that holds.
    package struct Role: Hashable, Sendable {
        /// The name.
        @Exact package var name: String
        /// By the position of the class in the schema; nil where it allows nothing.
        package var classes: [ClassRules?]
    }

    /// The revision of the document that set its rules.
    package var revision: UInt64
    /// The roles that hold, in the order of the document.
    package var roles: [Role]
    /// The only classes that it is of, by their names; empty for all.
    package private(set) var classes: Set<ExactText> = []

    /// The rules of a principal without roles.
    static let nothing = AccessView(revision: 0, roles: [])

    /// Makes a view without limits.
    init(revision: UInt64, roles: [Role]) {
        self.revision = revision
        self.roles = roles
    }

    /// Makes what a right allows with the objects of some classes.
    init(_ right: Right, _ classes: Set<ExactText>, in schema: RowSchema) {
        self.init(
            revision: 0,
            roles: [
                Role(name: "token", classes: schema.classes.map { ClassRules(right, of: $0) })
            ])
        limit(to: classes, in: schema)
    }

    /// Takes away what is allowed with objects of other classes; none for an empty set.
    mutating func limit(to names: Set<ExactText>, in schema: RowSchema) {
        if names.isEmpty { return }
        classes = names
        for (index, rowClass) in schema.classes.enumerated()
        where !names.contains(rowClass.definition.name) {
            for role in roles.indices { roles[role].classes[index] = nil }
        }
    }

    /// For each role that shows objects of a class, these and the properties that it hides of them. A property is hidden on an
    /// object where every role that shows the object hides it.
    package func shown(_ classIndex: Int) -> [ClassSight.Role] {
        roles.compactMap { role in
            guard let rules = role.classes[classIndex], rules.read != .constant(false) else {
                return nil
            }
            return ClassSight.Role(
                rule: rules.read == .constant(true) ? nil : rules.read, hidden: rules.hidden)
        }
    }

    /// The names that are unknown: of classes of which no object may be read or created, and of properties that are hidden on all of
    /// those that may.
    func unknownNames(of schema: RowSchema) -> UnknownNames {
        var classes: Set<Int> = []
        var properties: [Int: MemberSet] = [:]
        for rowClass in schema.classes where rowClass.definition.kind.standsAlone {
            var hidden: MemberSet?
            for role in roles {
                guard let rules = role.classes[rowClass.index],
                    rules.read != .constant(false) || rules.writing.create != .constant(false)
                else { continue }
                hidden = hidden?.intersection(rules.hidden) ?? rules.hidden
            }
            if let hidden {
                properties[rowClass.index] = hidden
            } else {
                classes.insert(rowClass.index)
            }
        }
        return UnknownNames(classes: classes, properties: properties, of: schema)
    }
}
