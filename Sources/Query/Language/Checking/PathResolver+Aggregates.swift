import HoldfastObjectModel
import HoldfastRows

/// Aggregates and the objects of a SUBQUERY.
extension PathResolver {
    /// Takes `@min`, `@max`, `@sum` or `@avg` of a collection of values.
    mutating func aggregate(_ function: AggregateFunction, at offset: Int) throws(QueryError) {
        if finishMixed(.aggregate(function), .scalar(function.result(of: .mixed) ?? .mixed)) {
            return
        }
        guard case .member(let member, nil) = pending,
            rowClass.members[member].storage.shape != .single,
            case .scalar(let scalar)? = rowClass.definition.properties[member].type.element,
            let result = function.result(of: scalar)
        else {
            throw source.fault(
                .type,
                "Cannot use aggregate '.\(function.name)' for this type of property; it takes a "
                    + "collection of \(Self.subjects(function)), or objects and one of their "
                    + "properties, as in dogs.\(function.name).age.", at: offset)
        }
        pending = .terminal(.aggregate(function, member: member), .scalar(result))
    }

    /// Takes `@min`, `@max`, `@sum` or `@avg` and a property of the objects that it is about.
    mutating func aggregate(
        _ function: AggregateFunction, at offset: Int, of name: String, nameAt: Int
    ) throws(QueryError) {
        guard standsOnObjects else {
            let name = pendingName
            throw source.fault(
                .type,
                "Operation '.\(function.name)' cannot apply to "
                    + (name.isEmpty ? "the path before it" : "property '\(name)'")
                    + " because it is not a list", at: offset)
        }
        try self.name(name, at: nameAt)
        guard case .member(let member, nil) = pending,
            rowClass.members[member].storage.shape == .single,
            case .scalar(let scalar)? = rowClass.definition.properties[member].type.element,
            let result = function.result(of: scalar)
        else {
            throw source.fault(
                .type,
                "collection aggregate not supported for type '\(pendingTypeName)'; "
                    + "'.\(function.name)' takes \(Self.subjects(function)).", at: nameAt)
        }
        pending = .terminal(.objectAggregate(function, member: member), .scalar(result))
        namedMember = nil
    }

    private static func subjects(_ function: AggregateFunction) -> String {
        switch function {
        case .min, .max: "numbers or dates"
        case .sum, .average: "numbers"
        }
    }

    /// Whether the path has come to several objects.
    private var standsOnObjects: Bool {
        switch pending {
        case .member(let member, let position):
            let storage = rowClass.members[member].storage
            guard storage.element == .link || storage.element == .embedded else { return false }
            return storage.shape != .single && position == nil || steps.contains(where: \.isMany)
        case .inverse: return true
        case .nothing, .lengths, .terminal, .mixed: return false
        }
    }

    /// The name of the property named last.
    private var pendingName: String {
        switch pending {
        case .member(let member, _), .lengths(let member):
            rowClass.definition.properties[member].name
        case .inverse, .nothing, .terminal, .mixed:
            namedMember.map { rowClass.definition.properties[$0].name } ?? ""
        }
    }

    /// The type of the property named last.
    private var pendingTypeName: String {
        switch pending {
        case .member(let member, _): typeName(member)
        case .lengths: "int"
        case .mixed: "mixed"
        case .inverse, .nothing: "link"
        case .terminal(_, let type): type.name
        }
    }

    /// Goes on to the objects that a SUBQUERY is about.
    ///
    /// - `text`: The path as it is written.
    mutating func enterObjects(_ text: String, at offset: Int) throws(QueryError) {
        switch pending {
        case .inverse: break
        case .member(let member, let position):
            let storage = rowClass.members[member].storage
            guard storage.shape != .single, position == nil else {
                throw notSeveralObjects(text, pendingTypeName, at: offset)
            }
            guard storage.element == .link || storage.element == .embedded else {
                throw source.fault(
                    .type,
                    "A subquery can not operate on a list of primitive values (property '\(text)')",
                    at: offset)
            }
        case .nothing, .lengths, .terminal, .mixed:
            throw notSeveralObjects(text, pendingTypeName, at: offset)
        }
        try follow(before: text, at: offset)
        try limitSteps(at: offset)
    }

    private func notSeveralObjects(_ text: String, _ type: String, at offset: Int) -> QueryError {
        source.fault(
            .type, "A subquery must operate on a list property, but '\(text)' is type '\(type)'",
            at: offset)
    }
}
