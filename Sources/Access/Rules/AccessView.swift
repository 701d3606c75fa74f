import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// A principal's rights: a plain value. Two views are equal if their roles and the user values that rules read are equal.
package struct AccessView: Hashable, Sendable {
    /// The rules of a role for the objects of a class, as conditions on the unrestricted store. The constant false allows
    /// nothing.
    package struct ClassRules: Hashable, Sendable {
        package var read: Predicate
        /// The properties that are hidden, by position.
        package var hidden = MemberSet()
        /// The allowed changes; its place is empty if they come from a token's right.
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
                delete: predicate(rules.delete), stated: rules.stated, changed: rules.changed)
        }

        /// Makes the conditions of a right.
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

    /// An active role.
    package struct Role: Hashable, Sendable {
        /// The name.
        @Exact package var name: String
        /// The rules by the position of the class in the schema; nil if nothing is allowed.
        package var classes: [ClassRules?]
    }

    /// The revision of the document that set its rules.
    package var revision: UInt64
    /// The active roles, in the order of the document.
    package var roles: [Role]
    /// The only classes that the view covers, by name; empty for all.
    package private(set) var classes: Set<ExactText> = []

    /// The rights of a principal without roles.
    static let nothing = AccessView(revision: 0, roles: [])

    /// Makes a view that is not limited to some classes.
    init(revision: UInt64, roles: [Role]) {
        self.revision = revision
        self.roles = roles
    }

    /// Makes a view that grants a right on the objects of some classes.
    init(_ right: Right, _ classes: Set<ExactText>, in schema: RowSchema) {
        self.init(
            revision: 0,
            roles: [Role(name: "token", classes: schema.classes.map { ClassRules(right, of: $0) })])
        limit(to: classes, in: schema)
    }

    /// Removes the rights on all other classes. An empty set removes nothing.
    mutating func limit(to names: Set<ExactText>, in schema: RowSchema) {
        if names.isEmpty { return }
        classes = names
        for (index, rowClass) in schema.classes.enumerated()
        where !names.contains(rowClass.definition.name) {
            for role in roles.indices { roles[role].classes[index] = nil }
        }
    }

    /// The roles that show objects of a class, with the objects they show and the properties they hide. A property of an object
    /// is hidden if every role that shows the object hides it.
    package func shown(_ classIndex: Int) -> [ClassVisibility.Role] {
        roles.compactMap { role in
            guard let rules = role.classes[classIndex], rules.read != .constant(false) else {
                return nil
            }
            return ClassVisibility.Role(
                rule: rules.read == .constant(true) ? nil : rules.read, hidden: rules.hidden)
        }
    }

    /// The unknown names: classes without objects that may be read or created, and properties that are hidden on all such objects
    /// of their class.
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
