/// The end of a projected property's path in a schema.
package struct ProjectedValue: Equatable, Sendable {
    /// The property at the end of the path; for a count or an aggregate, its result as a property named by the path.
    package var property: Property
    /// Whether the path ends in a count or an aggregate.
    package var isCalculated = false
    package var owner: String
    /// Whether a value on the path before the end, and before a collection on the path, may be null. The projected value is then
    /// null too.
    package var isBehindNull = false
    /// Whether a value behind the collection on the path may be null. An element of the projected value is then null too.
    package var isElementBehindNull = false
    /// Whether the collection on the path is a map, so that the projected value is an object.
    package var isMap = false
    /// Whether the path goes through a collection. The projected value is then an array (for a map, an object) with the end of
    /// the path for each element.
    package var isMapped: Bool
    /// Whether the path follows a link to another object.
    package var followsLink = false

    /// The maximum number of steps of a path.
    package static let stepCountMax = 16

    /// The reason why a path is invalid.
    package struct Fault: Error, Equatable, Sendable {
        /// A sentence: the fault, and what to do instead.
        package var detail: String
        /// The unknown name, if that is the fault.
        package var unknown: String?
        /// The known names, for suggesting one in place of ``unknown``.
        package var known: [String] = []
    }

    /// Follows a path.
    ///
    /// - `classes`: The classes of the schema by name.
    /// - Throws: ``Fault``.
    package init(
        _ path: [String], from className: String, in classes: [ExactText: ObjectClass]
    ) throws(Fault) {
        guard path.count <= Self.stepCountMax else {
            throw Fault(
                detail: "The path has \(path.count) steps; \(Self.stepCountMax) are allowed.")
        }
        owner = className
        var collection: String?
        for (index, name) in path.enumerated() {
            guard let objectClass = classes[owner] else { break }
            guard let position = objectClass.propertyIndex(named: name) else {
                throw Fault(
                    detail: "Class '\(owner)' has no property '\(name)'.", unknown: name,
                    known: objectClass.properties.map(\.name))
            }
            let property = objectClass.properties[position]
            let rest = path[(index + 1)...]
            isCalculated = rest.first?.hasPrefix("@") ?? false
            if rest.isEmpty || isCalculated {
                self.property =
                    isCalculated ? try Self.calculated(rest, from: property, in: classes) : property
                if let collection { try Self.requirePlain(self.property, behind: collection) }
                isMapped = collection != nil
                return
            }
            let target = try Self.target(of: property, in: objectClass, collection)
            switch property.type {
            case .single:
                if collection == nil { isBehindNull = true } else { isElementBehindNull = true }
            case .list, .set: collection = name
            case .map:
                collection = name
                isMap = true
                // A map's value is null if its target was deleted.
                isElementBehindNull = true
            case .linkingObjects: break
            }
            if classes[target]?.kind != .embedded { followsLink = true }
            owner = target
        }
        throw Fault(detail: "A path names at least one property.")
    }

    /// Returns the class at which the path continues.
    private static func target(
        of property: Property, in objectClass: ObjectClass, _ collection: String?
    ) throws(Fault) -> String {
        if case .linkingObjects = property.type {
            throw Fault(
                detail:
                    "'\(property.name)' of class '\(objectClass.name)' is an inverse link; a path "
                    + "goes through links and embedded objects; an inverse link can only end it."
            )
        }
        guard case .object(let target)? = property.type.element else {
            throw Fault(
                detail:
                    "'\(property.name)' of class '\(objectClass.name)' has no objects, so a path "
                    + "can't continue from it.")
        }
        if property.type.isCollection, let collection {
            throw Fault(
                detail: "A path goes through one collection at most; '\(collection)' and "
                    + "'\(property.name)' are two.")
        }
        return target
    }

    /// Requires that the property of a collection's objects is a single plain value.
    private static func requirePlain(_ property: Property, behind collection: String) throws(Fault)
    {
        if case .single(.scalar) = property.type { return }
        throw Fault(
            detail:
                "A path through the collection '\(collection)' ends in a single plain value, which "
                + "'\(property.name)' is not; to show the objects of a collection give it a projection."
        )
    }
}

// Counts and aggregates at the ends of paths.
extension ProjectedValue {
    /// Makes the property for a count or an aggregate of another property, named by both.
    ///
    /// - `steps`: The names after the property's, such as `@count`, or `@max` and `age`.
    static func calculated(
        _ steps: ArraySlice<String>, from property: Property, in classes: [ExactText: ObjectClass]
    ) throws(Fault) -> Property {
        let operation = steps.first ?? ""
        let name = ([property.name] + steps).joined(separator: ".")
        if operation == "@count" || operation == "@size" {
            guard steps.count == 1 else {
                throw Fault(detail: "'\(operation)' is the last step of a path.")
            }
            return Property(
                name: name, type: .single(.scalar(.int)), isOptional: try mayLackCount(property))
        }
        guard let function = AggregateFunction(rawValue: String(operation.dropFirst())) else {
            let known = ["@count"] + AggregateFunction.allCases.map(\.name)
            throw Fault(
                detail: "There is no '\(operation)'; after a property, use "
                    + "\(known.joined(separator: ", ")).", unknown: operation, known: known)
        }
        let scalar = try aggregated(steps.dropFirst(), from: property, function, in: classes)
        guard let result = function.result(of: scalar) else {
            throw Fault(
                detail: "'\(name)' has values of type '\(scalar.name)', which have no "
                    + "'\(function.name)'.")
        }
        // A sum of ints is null if it exceeds an int64.
        return Property(
            name: name, type: .single(.scalar(result)),
            isOptional: result != .mixed && (function != .sum || result == .int))
    }

    /// Whether a count may be null, because the value may be null or of a kind without a count.
    private static func mayLackCount(_ property: Property) throws(Fault) -> Bool {
        guard case .single(.scalar(let scalar)) = property.type else { return false }
        switch scalar {
        case .mixed: return true
        case .string, .data: return property.isOptional
        default:
            throw Fault(
                detail:
                    "'\(property.name)' is a single value of type '\(scalar.name)', which has no "
                    + "'@count'.")
        }
    }

    /// Returns the type of the aggregated values.
    private static func aggregated(
        _ steps: ArraySlice<String>, from property: Property, _ function: AggregateFunction,
        in classes: [ExactText: ObjectClass]
    ) throws(Fault) -> ScalarType {
        if let scalar = property.scalar, steps.isEmpty,
            property.type.isCollection || scalar == .mixed
        {
            return scalar
        }
        guard property.type.isCollection, let target = property.type.className,
            let objectClass = classes[target], steps.count == 1, let name = steps.first
        else {
            throw Fault(
                detail:
                    "'\(function.name)' takes a collection of values, as in scores.\(function.name), or one "
                    + "of objects and a property of theirs, as in dogs.\(function.name).age.")
        }
        guard let position = objectClass.propertyIndex(named: name) else {
            throw Fault(
                detail: "Class '\(target)' has no property '\(name)'.", unknown: name,
                known: objectClass.properties.map(\.name))
        }
        guard case .single(.scalar(let scalar)) = objectClass.properties[position].type else {
            throw Fault(
                detail:
                    "'\(function.name)' takes a property with a single plain value, and '\(name)' of "
                    + "class '\(target)' is not one.")
        }
        return scalar
    }
}

/// A function that computes one value from several. Raw values are the words in a list of operations.
package enum AggregateFunction: String, Sendable, CaseIterable {
    case min, max, sum
    case average = "avg"

    /// The operation in a query's text.
    package var name: String { "@" + rawValue }

    /// Returns the type of the result for values of a type; nil if the function does not apply to it.
    ///
    /// Sums of ints are ints, their averages are doubles. For `mixed` values and decimals, both are decimals.
    package func result(of scalar: ScalarType) -> ScalarType? {
        switch (self, scalar.widened) {
        case (.min, .date), (.max, .date): .date
        case (.min, .mixed), (.max, .mixed): .mixed
        case (.min, .float), (.max, .float): .float
        case (.min, .int), (.max, .int), (.sum, .int): .int
        case (_, .int), (_, .float), (_, .double): .double
        case (_, .decimal128), (_, .mixed): .decimal128
        default: nil
        }
    }
}
