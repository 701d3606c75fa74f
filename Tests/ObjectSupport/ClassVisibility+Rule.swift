import HoldfastObjectStore
import HoldfastQuery

extension ClassVisibility {
    /// The objects that satisfy a rule, with all of their properties.
    package init(rule: Predicate?) { self.init(roles: [Role(rule: rule)]) }
}
