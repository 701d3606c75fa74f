import HoldfastQuery
import HoldfastRows

/// The readable part of the objects of a class.
package struct ClassSight: Hashable, Sendable {
    /// The part of one role.
    package struct Role: Hashable, Sendable {
        /// The objects that the role lets read; nil for all.
        package var rule: Predicate?
        /// The properties that it hides of them, by position; never the primary key.
        package var hidden: MemberSet

        /// Makes the part of a role.
        package init(rule: Predicate?, hidden: MemberSet = MemberSet()) {
            self.rule = rule
            self.hidden = hidden
        }
    }

    /// The objects that may be read; nil for all.
    package var rule: Predicate?
    /// The roles. A property is hidden on an object where each of those hides it whose rule admits the object.
    package var roles: [Role]

    /// Adds up what roles let read.
    ///
    /// - `roles`: Those that hold and let read some objects; none where no object may be read.
    package init(roles: [Role]) {
        self.roles = roles
        let admitted = Predicate.any(of: roles.map { $0.rule ?? .constant(true) })
        rule = admitted == .constant(true) ? nil : admitted
    }
}
