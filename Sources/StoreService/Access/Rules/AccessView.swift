import HoldfastQuery
import HoldfastRows

/// The rights of a principal: a plain value, equal for all whose roles and values that rules read are equal.
package struct AccessView: Hashable, Sendable {
    /// The rules of a role for the objects of a class, as conditions on the bare store; the constant false is nothing.
    package struct ClassRules: Hashable, Sendable {
        /// Where they stand in the document, as a JSON pointer; empty for those of a token's right.
        package var place: String
        /// The objects that are seen.
        package var read: Predicate
        /// The objects that may be created, as they are at the end of a transaction.
        package var create: Predicate
        /// The objects that may be changed, as they are when a transaction begins.
        package var before: Predicate
        /// The same, as they are at its end.
        package var after: Predicate
        /// The objects that may be deleted, as they are when a transaction begins.
        package var delete: Predicate
        /// The rights of the properties, by their positions in the class.
        package var rights: [PropertyRight]

        init(_ rules: CompiledRole.ClassRules, for user: some UserFacts) {
            func predicate(_ condition: CompiledCondition?) -> Predicate {
                condition?.predicate(for: user) ?? .constant(false)
            }
            place = rules.place
            read = predicate(rules.read)
            create = predicate(rules.create)
            before = predicate(rules.before)
            after = predicate(rules.after)
            delete = predicate(rules.delete)
            rights = rules.rights
        }

        /// The conditions of a right.
        init(_ right: Right, of rowClass: RowClass) {
            place = ""
            (read, create) = (.constant(right >= .read), .constant(right >= .write))
            (before, after, delete) = (create, create, create)
            rights = Array(repeating: .write, count: rowClass.members.count)
        }

        /// The properties that are not seen, by their positions.
        package var hidden: Set<Int> {
            Set(rights.indices.filter { rights[$0] == .none })
        }
    }

    /// A role that holds.
    package struct Role: Hashable, Sendable {
        /// The name.
        package var name: String
        /// By the position of the class in the schema; nil where it allows nothing.
        package var classes: [ClassRules?]
    }

    /// The revision of the document.
    package var revision: UInt64
    /// The roles that hold, in the order of the document.
    package var roles: [Role]
    /// Tells views apart by what decides on what they show; nil until ``AccessControl`` has named the view.
    var mark: ViewMark?
    /// The only classes that it is of, by their names; empty for all.
    package private(set) var classes: Set<String> = []

    /// Makes a view without limits.
    init(revision: UInt64, roles: [Role]) {
        self.revision = revision
        self.roles = roles
    }

    /// Makes what a right allows with the objects of some classes.
    init(_ right: Right, _ classes: Set<String>, in schema: RowSchema) {
        self.init(
            revision: 0,
            roles: [
                Role(name: "token", classes: schema.classes.map { ClassRules(right, of: $0) })
            ])
        limit(to: classes, in: schema)
    }

    /// Takes away what is allowed with objects of other classes; none for an empty set.
    mutating func limit(to names: Set<String>, in schema: RowSchema) {
        if names.isEmpty { return }
        classes = names
        for (index, rowClass) in schema.classes.enumerated()
        where !names.contains(rowClass.definition.name) {
            for role in roles.indices { roles[role].classes[index] = nil }
        }
    }

    /// The objects of a class that are seen: false for none, true for all.
    package func admitted(_ classIndex: Int) -> Predicate {
        .any(of: roles.compactMap { $0.classes[classIndex]?.read })
    }

    /// For each role that shows objects of a class, these and the properties that it hides of them. A property is hidden on an
    /// object where every role that shows the object hides it.
    package func shown(_ classIndex: Int) -> [(read: Predicate, hidden: Set<Int>)] {
        roles.compactMap { role in
            guard let rules = role.classes[classIndex], rules.read != .constant(false) else {
                return nil
            }
            return (rules.read, rules.hidden)
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
                    rules.read != .constant(false) || rules.create != .constant(false)
                else { continue }
                let own = MemberSet(rules.hidden)
                hidden = hidden?.intersection(own) ?? own
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
