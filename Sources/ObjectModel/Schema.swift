/// The classes of a store.
package struct Schema: Equatable, Sendable {
    /// The number of the schema: 1 for the first schema of the store, 0 before.
    package var revision: UInt64
    /// The version number that Swift programs choose; nil if no program has chosen one.
    package var schemaVersion: UInt64?
    /// The classes in the order they were declared.
    package var classes: [ObjectClass]

    package init(revision: UInt64 = 0, schemaVersion: UInt64? = nil, classes: [ObjectClass] = []) {
        self.revision = revision
        self.schemaVersion = schemaVersion
        self.classes = classes
    }

    /// Finds a class by name. Cost: linear; compiled schemas have a table.
    package func objectClass(named name: String) -> ObjectClass? {
        classes.first { $0.name.isSame(as: name) }
    }
    /// Finds the classes whose objects hold embedded objects of a class, directly or within other embedded objects.
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
    /// Adds the faults of the class's unique groups.
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

    /// Whether a property may be in a unique group.
    private func canBeCompared(_ property: Property, _ classes: [ExactText: ObjectClass]) -> Bool {
        switch property.type {
        case .single(.scalar(let scalar)): scalar.canBeIndexed
        case .single(.object(let target)): classes[target]?.kind == .object
        case .list, .set, .map, .linkingObjects: false
        }
    }
}

/// One fault of a schema.
package struct SchemaFault: Error, Equatable, Sendable {
    /// The class with the fault; nil if the schema has it.
    package var className: String?
    /// The property with the fault; nil if the class has it.
    package var property: String?
    /// The position of the class's unique group with the fault; nil if the fault is elsewhere.
    package var uniqueGroup: Int?
    /// A sentence: the fault, and what to do instead.
    package var detail: String
    /// A suggestion: the name that was probably intended.
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

/// The limits of the object model.
package enum ModelLimits {
    /// The maximum number of an enum's values.
    package static let caseCountMax = 1000
    /// The maximum length of a class name, in bytes of UTF-8.
    package static let classNameByteCountMax = 57
    /// The maximum length of a property name, in bytes of UTF-8.
    package static let propertyNameByteCountMax = 63
    /// The maximum size of a string or data value, in bytes.
    package static let valueByteCountMax = 16 * 1024 * 1024
    /// The maximum length of a map key, in bytes of UTF-8, the same as for other strings.
    package static let keyByteCountMax = valueByteCountMax
    /// The maximum number of a class's properties. It keeps rows' headers and change sets small.
    package static let propertyCountMax = 1_000
    /// The maximum number of a store's projections.
    package static let projectionCountMax = 1_000
    /// The number at which counting of a projection's values stops.
    static let projectedCountEnd = 1 << 30
    /// The maximum number of a schema's classes.
    package static let classCountMax = 1_000
    /// The maximum number of a class's unique groups.
    package static let uniqueGroupCountMax = 64
    /// The maximum number of properties in one unique group.
    package static let uniqueGroupPropertyCountMax = 16
    /// The maximum depth of embedded objects in one object.
    package static let embeddingDepthMax = 100
    /// The maximum depth of lists and maps in one `mixed` value.
    package static let mixedDepthMax = 100
}
