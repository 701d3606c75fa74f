import HoldfastObjectStore
import HoldfastQuery

extension ClassSight {
    /// The objects that satisfy a rule, with all of their properties.
    package init(rule: Predicate?) { self.init(roles: [Role(rule: rule)]) }
}
