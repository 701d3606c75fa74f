import HoldfastObjectModel
import HoldfastRows

extension SchemaComparison {
    /// Whether a property with a geographic index holds the same points as before: its class takes
    /// type and coordinates from where it took them. The property itself is stored as it was.
    func keepsPoints(_ property: Property) -> Bool {
        guard case .object(let name)? = property.type.element,
            let new = proposed.classes.firstIndex(where: { $0.name.isSame(as: name) }),
            let old = oldClasses[new],
            let before = present.rows.classes[old].definition.pointMembers,
            let after = proposed.classes[new].pointMembers
        else { return false }
        func isKept(_ old: Int, _ member: Int) -> Bool {
            members[new][member].map { $0.old == old && $0.conversion == nil } ?? false
        }
        return isKept(before.type, after.type) && isKept(before.coordinates, after.coordinates)
    }
}
