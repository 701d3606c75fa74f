/// The classes of a store.
package struct Schema: Equatable, Sendable {
    /// Counts the schemas of the store, from 1; 0 before the first.
    package var revision: UInt64
    /// The number that Swift programs choose, if any did.
    package var schemaVersion: UInt64?
    /// The classes in the order they were declared.
    package var classes: [ObjectClass]

    /// Makes a schema.
    package init(revision: UInt64 = 0, schemaVersion: UInt64? = nil, classes: [ObjectClass] = []) {
        self.revision = revision
        self.schemaVersion = schemaVersion
        self.classes = classes
    }

    /// Finds the class of a name. Cost: linear; compiled schemas have a table.
    package func objectClass(named name: String) -> ObjectClass? {
        classes.first { $0.name.isSame(as: name) }
    }
    /// Finds the classes whose objects hold embedded ones of a class, directly or within other embedded objects.
    package func owners(of embedded: String) -> [ObjectClass] {
        var holding: Set<ExactText> = [ExactText(embedded)]
        func holds(_ objectClass: ObjectClass) -> Bool {
            objectClass.properties.contains { property in
                guard case .object(let name)? = property.type.element else { return false }
                return holding.contains(name)
            }
        }
        var countBefore = 0
        while holding.count > countBefore {
            countBefore = holding.count
            for objectClass in classes where objectClass.kind == .embedded && holds(objectClass) {
                holding.insert(objectClass.name)
            }
        }
        return classes.filter { $0.kind == .object && holds($0) }
    }
}
