// Counts and aggregates at the ends of paths.
extension ProjectedValue {
    /// Makes the property of a count or an aggregate of another one, named by both.
    ///
    /// - `steps`: The names behind the property's, such as `@count`, or `@max` and `age`.
    static func calculated(
        _ steps: ArraySlice<String>, from property: Property, in classes: [ExactText: ObjectClass]
    ) throws(Fault) -> Property {
        let operation = steps.first ?? ""
        let name = ([property.name] + steps).joined(separator: ".")
        if operation == "@count" || operation == "@size" {
            guard steps.count == 1 else {
                throw Fault(detail: "Nothing follows '\(operation)' in a path.")
            }
            return Property(
                name: name, type: .single(.scalar(.int)), isOptional: try mayLackCount(property))
        }
        guard let function = AggregateFunction(rawValue: String(operation.dropFirst())) else {
            let known = ["@count"] + AggregateFunction.allCases.map(\.name)
            throw Fault(
                detail: "There is no '\(operation)'; behind a property may stand "
                    + "\(known.joined(separator: ", ")).", unknown: operation, known: known)
        }
        let scalar = try aggregated(steps.dropFirst(), from: property, function, in: classes)
        guard let result = function.result(of: scalar) else {
            throw Fault(
                detail: "'\(name)' has values of type '\(scalar.name)', of which there is no "
                    + "'\(function.name)'.")
        }
        // A sum is null where it is one of ints that no int64 holds.
        return Property(
            name: name, type: .single(.scalar(result)),
            isOptional: result != .mixed && (function != .sum || result == .int))
    }

    /// Whether there may be nothing to count.
    private static func mayLackCount(_ property: Property) throws(Fault) -> Bool {
        guard case .single(.scalar(let scalar)) = property.type else { return false }
        switch scalar {
        case .mixed: return true
        case .string, .data: return property.isOptional
        default:
            throw Fault(
                detail:
                    "'\(property.name)' is a single value of type '\(scalar.name)', of which there is no "
                    + "'@count'.")
        }
    }

    /// Returns the type of the values that an aggregate is made of.
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
                    "'\(function.name)' takes a property with a single plain value, which '\(name)' of "
                    + "class '\(target)' has not.")
        }
        return scalar
    }
}
