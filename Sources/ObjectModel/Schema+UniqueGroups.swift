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
