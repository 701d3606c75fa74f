import HoldfastQuery
import HoldfastRows

/// A role of a document, checked for a schema.
struct CompiledRole: Sendable {
    /// The rules for the objects of a class; a nil rule allows nothing.
    struct ClassRules: Sendable {
        /// The position in the document, as a JSON pointer.
        var place: String
        var read: CompiledCondition?
        var create: CompiledCondition?
        var before: CompiledCondition?
        var after: CompiledCondition?
        var delete: CompiledCondition?
        /// The rights of the properties, by position.
        let rights: [PropertyRight]
        private(set) var hidden = MemberSet()
        /// The properties that may be set when an object is created.
        private(set) var stated = MemberSet()
        private(set) var changed = MemberSet()

        /// Takes the compiled rules of a document. They serve all users.
        init(
            place: String, read: CompiledCondition?, create: CompiledCondition?,
            before: CompiledCondition?, after: CompiledCondition?, delete: CompiledCondition?,
            rights: [PropertyRight]
        ) {
            (self.place, self.read, self.create) = (place, read, create)
            (self.before, self.after, self.delete) = (before, after, delete)
            self.rights = rights
            for (member, right) in rights.enumerated() {
                if right == .none { hidden.insert(member) }
                if right >= .create { stated.insert(member) }
                if right == .write { changed.insert(member) }
            }
        }

        /// The rules that decide on an action, with their names.
        func conditions(_ action: AccessAction) -> [(name: String, CompiledCondition?)] {
            switch action {
            case .read: [("read", read)]
            case .create: [("create", create)]
            case .update: [("update.before", before), ("update.after", after)]
            case .delete: [("delete", delete)]
            }
        }
    }

    let name: String
    let isForAnyone: Bool
    let when: Rule?
    /// The rules by the position of the class; nil if nothing is allowed.
    var classes: [ClassRules?]

    /// The references of its rules to a user, with duplicates.
    var references: [UserReference] { (conditions + [when]).flatMap { $0?.references ?? [] } }

    /// The bytes of the texts of its rules for classes.
    var byteCount: Int { conditions.reduce(0) { $0 + ($1?.text.utf8.count ?? 0) } }

    private var conditions: [Rule?] {
        classes.compactMap(\.self).flatMap { rules in
            [rules.read, rules.create, rules.before, rules.after, rules.delete]
        }.map { $0?.rule }
    }
}

package enum AccessAction: String, CaseIterable, Sendable { case read, create, update, delete }

/// A condition on objects, checked for a class.
struct CompiledCondition: Sendable {
    /// The filter; nil if any object is admitted.
    let rule: Rule?

    func predicate(for user: some UserFacts) -> Predicate {
        rule?.predicate(for: user) ?? .constant(true)
    }

    var text: String { rule?.text ?? "true" }
}

/// A role's right to a property of an object. Each right includes the ones before it.
package enum PropertyRight: String, CaseIterable, Comparable, Sendable {
    /// The property is hidden.
    case none
    case read
    /// The property may also be set when an object is created.
    case create
    /// The property may also be changed.
    case write

    package static func < (left: PropertyRight, right: PropertyRight) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
