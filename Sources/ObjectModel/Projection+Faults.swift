extension Projection {
    /// Returns all faults of the projections of a schema, in the order of the projections; empty if they are valid.
    ///
    /// - Precondition: The schema itself has no faults.
    package static func faults(of projections: [Projection], in schema: Schema) -> [ProjectionFault]
    {
        if projections.isEmpty { return [] }
        var check = Check(projections, schema)
        for (index, projection) in projections.enumerated() {
            if index == ModelLimits.projectionCountMax {
                check.fault(
                    projection,
                    "A store has at most \(ModelLimits.projectionCountMax) projections.")
            }
            check.checkName(projection)
            check.checkProperties(projection)
        }
        return check.faults
    }

    /// The faults found so far, and the known facts about the projections.
    private struct Check {
        var faults: [ProjectionFault] = []
        private var classes: [ExactText: ObjectClass] = [:]
        private var byName: [ExactText: Projection] = [:]
        private var namesSeen: Set<ExactText> = []
        /// The number of values that each projection shows, including the projections in it.
        private var extents: [ExactText: Extent] = [:]

        private struct Extent {
            var count = 0
            var depth = 1
        }

        init(_ projections: [Projection], _ schema: Schema) {
            for objectClass in schema.classes { classes[objectClass.name] = objectClass }
            for projection in projections { byName[projection.name] = projection }
        }

        mutating func fault(
            _ projection: Projection, _ detail: String, property: String? = nil,
            unknown: String? = nil, known: [String] = []
        ) {
            faults.append(
                ProjectionFault(
                    projection: projection.name, property: property, detail: detail, known: known,
                    unknown: unknown))
        }

        mutating func checkName(_ projection: Projection) {
            let name = projection.name
            for detail in Schema.faults(
                ofName: name, "The projection's name", "A projection's name",
                byteCountMax: ModelLimits.classNameByteCountMax)
            {
                fault(projection, detail)
            }
            if classes[name] != nil {
                fault(
                    projection,
                    "A class is named '\(name)' already; classes and projections have different names."
                )
            }
            if !namesSeen.insert(name) {
                fault(projection, "Two projections are named '\(name)'; names are unique.")
            }
        }

        mutating func checkProperties(_ projection: Projection) {
            guard let base = classes[projection.className] else {
                return fault(
                    projection,
                    "The schema has no class '\(projection.className)' that the projection could show.",
                    unknown: projection.className, known: classes.texts)
            }
            if base.kind == .asymmetric {
                return fault(
                    projection,
                    "'\(projection.className)' is an asymmetric class: its objects are never read, so no "
                        + "projection shows them.")
            }
            if projection.properties.isEmpty {
                fault(projection, "A projection shows at least one property.")
            }
            if projection.properties.count > ModelLimits.propertyCountMax {
                return fault(
                    projection,
                    "A projection has at most \(ModelLimits.propertyCountMax) properties.")
            }
            var names: Set<ExactText> = []
            for property in projection.properties {
                if !names.insert(property.name) {
                    fault(
                        projection, "Two properties are named '\(property.name)'.",
                        property: property.name)
                }
                for detail in Schema.faults(ofPropertyName: property.name) {
                    fault(projection, detail, property: property.name)
                }
                check(property, projection)
            }
            guard let extent = extents[projection.name] ?? extent(of: projection, []) else {
                return
            }
            extents[projection.name] = extent
            if extent.count > ModelLimits.propertyCountMax {
                fault(
                    projection,
                    "The projection shows \(extent.count) properties, those of the projections in it "
                        + "included; \(ModelLimits.propertyCountMax) are allowed.")
            }
            if extent.depth > ProjectedValue.stepCountMax {
                fault(
                    projection,
                    "The projection nests \(extent.depth) projections; \(ProjectedValue.stepCountMax) "
                        + "are allowed.")
            }
        }

        private mutating func check(_ property: Property, _ projection: Projection) {
            let value: ProjectedValue
            do throws(ProjectedValue.Fault) {
                value = try ProjectedValue(property.path, from: projection.className, in: classes)
            } catch {
                return fault(
                    projection, error.detail, property: property.name, unknown: error.unknown,
                    known: error.known)
            }
            guard let name = property.projection else { return }
            guard let inner = byName[name] else {
                return fault(
                    projection, "There is no projection '\(name)'.", property: property.name,
                    unknown: name, known: byName.texts)
            }
            guard !value.isMapped, let target = value.projectedClass else {
                return fault(
                    projection,
                    "'\(property.pathText)' has no objects that '\(name)' could show: a projection is "
                        + "the type of a link, an embedded object, or a list or set of them.",
                    property: property.name)
            }
            if !inner.className.isSame(as: target) {
                fault(
                    projection,
                    "'\(property.pathText)' leads to '\(target)'; '\(name)' shows objects of class "
                        + "'\(inner.className)'.", property: property.name)
            }
        }

        /// Counts the values of a projection and of the projections in it; nil, with a fault, if it contains itself.
        private mutating func extent(of projection: Projection, _ around: [String]) -> Extent? {
            if let known = extents[projection.name] { return known }
            let around = around + [projection.name]
            var extent = Extent()
            for property in projection.properties {
                extent.count = min(extent.count + 1, ModelLimits.projectedCountEnd)
                guard let name = property.projection, let inner = byName[name] else { continue }
                if let start = around.firstIndex(where: { $0.isSame(as: name) }) {
                    // Reported once, for the projection where the walk began.
                    guard let first = byName[around[0]], start == 0 else { return nil }
                    fault(
                        first,
                        "The projection contains itself: "
                            + (around + [name]).map { "'\($0)'" }.joined(separator: " shows ")
                            + "; its replies would have no end.",
                        property: around.count == 1
                            ? property.name
                            : first.properties.first { $0.projection.isSame(as: around[1]) }?.name)
                    return nil
                }
                guard let below = self.extent(of: inner, around) else { return nil }
                extent.count = min(extent.count + below.count, ModelLimits.projectedCountEnd)
                extent.depth = max(extent.depth, below.depth + 1)
            }
            extents[projection.name] = extent
            return extent
        }
    }
}

extension ProjectedValue {
    /// The class of the objects that a projection could show at the end of the path; nil if there are no objects.
    package var projectedClass: String? {
        // Inverse links have no element.
        if case .object(let name)? = property.type.element { name } else { nil }
    }
}

/// One fault of a projection.
package struct ProjectionFault: Error, Equatable, Sendable {
    package var projection: String
    /// The property with the fault; nil if the projection has it.
    package var property: String?
    /// A sentence: the fault, and what to do instead.
    package var detail: String
    /// The known names, for suggesting the one nearest to an unknown name.
    package var known: [String] = []
    package var unknown: String?
}
