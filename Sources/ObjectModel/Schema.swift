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

extension ObjectClass {
    /// Adds what is wrong with the class's unique groups.
    func collectFaults(
        ofUniqueGroups classes: [ExactText: ObjectClass], into faults: inout [SchemaFault]
    ) {
        guard !uniqueGroups.isEmpty else { return }
        func fault(_ group: Int?, _ detail: String) {
            faults.append(SchemaFault(className: name, uniqueGroup: group, detail: detail))
        }
        guard kind == .object else {
            return fault(nil, "Only classes of kind 'object' have unique groups.")
        }
        if uniqueGroups.count > ModelLimits.uniqueGroupCountMax {
            fault(nil, "A class has at most \(ModelLimits.uniqueGroupCountMax) unique groups.")
        }
        var seen: Set<Set<ExactText>> = []
        for (position, group) in uniqueGroups.enumerated() {
            let names = Set(texts: group)
            if group.isEmpty || group.count > ModelLimits.uniqueGroupPropertyCountMax {
                fault(
                    position,
                    "A unique group has 1 to \(ModelLimits.uniqueGroupPropertyCountMax) properties."
                )
            }
            if names.count < group.count {
                fault(position, "A unique group names each property once.")
            }
            if !seen.insert(names).inserted {
                fault(position, "Two unique groups have the same properties.")
            }
            for name in group {
                guard let property = properties.first(where: { $0.name.isSame(as: name) }) else {
                    fault(position, "The unique group names '\(name)', which the class lacks.")
                    continue
                }
                if !canBeCompared(property, classes) {
                    fault(
                        position,
                        "The property '\(name)' can't be in a unique group: that takes a single value "
                            + "of any type but data, or a to-one link.")
                }
            }
        }
    }

    /// Whether a unique group may have a property.
    private func canBeCompared(_ property: Property, _ classes: [ExactText: ObjectClass]) -> Bool {
        switch property.type {
        case .single(.scalar(let scalar)): scalar.canBeIndexed
        case .single(.object(let target)): classes[target]?.kind == .object
        case .list, .set, .map, .linkingObjects: false
        }
    }
}

/// One thing that is wrong with a schema.
package struct SchemaFault: Error, Equatable, Sendable {
    /// The class that has the fault; nil when it is the schema's own.
    package var className: String?
    /// The property that has the fault; nil when it is the class's own.
    package var property: String?
    /// The position of the class's unique group that has the fault; nil when none has.
    package var uniqueGroup: Int?
    /// A sentence that says what is wrong and what to do instead.
    package var detail: String
    /// A suggestion: the name that was probably meant.
    package var hint: String?

    /// Describes a fault.
    package init(
        className: String? = nil, property: String? = nil, uniqueGroup: Int? = nil, detail: String,
        hint: String? = nil
    ) {
        self.hint = hint
        self.className = className
        self.property = property
        self.uniqueGroup = uniqueGroup
        self.detail = detail
    }
}

/// The object model's own limits.
package enum ModelLimits {
    /// The most values of an enum.
    package static let caseCountMax = 1000
    /// The longest class name in bytes of UTF-8.
    package static let classNameByteCountMax = 57
    /// The longest property name in bytes of UTF-8.
    package static let propertyNameByteCountMax = 63
    /// The longest string and the longest data value in bytes.
    package static let valueByteCountMax = 16 * 1024 * 1024
    /// The longest key of a map in bytes of UTF-8; it is a string like any other.
    package static let keyByteCountMax = valueByteCountMax
    /// The most properties of one class; keeps rows' headers and change sets small.
    package static let propertyCountMax = 1_000
    /// The most projections of one store.
    package static let projectionCountMax = 1_000
    /// The number at which counting what a projection shows ends.
    static let projectedCountEnd = 1 << 30
    /// The most classes of one schema.
    package static let classCountMax = 1_000
    /// The most unique groups of one class.
    package static let uniqueGroupCountMax = 64
    /// The most properties of one unique group.
    package static let uniqueGroupPropertyCountMax = 16
    /// The greatest depth of embedded objects in one object.
    package static let embeddingDepthMax = 100
    /// The greatest depth of lists and maps in one `mixed` value.
    package static let mixedDepthMax = 100
}
