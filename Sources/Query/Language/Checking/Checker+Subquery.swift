import HoldfastObjectModel
import HoldfastRows

/// SUBQUERY: a condition on each of several objects.
extension Checker {
    /// Checks a subquery: a path with an end that counts the matching objects.
    func subquery(_ syntax: Syntax.Subquery) throws(QueryError) -> ValuePath {
        guard rule == nil || syntax.variable != Self.userName else {
            throw source.fault(
                .type, "'$user' is the user of the rule; give the variable another name.",
                at: syntax.variableStart)
        }
        var resolver = try resolver(syntax.path)
        try resolver.enterObjects(source.text(syntax.path.range), at: syntax.path.start)
        let classIndex = resolver.classIndex
        guard !variables.contains(where: { $0 == (syntax.variable, classIndex) }) else {
            throw source.fault(
                .type,
                "Unable to create a subquery expression with variable '\(syntax.variable)' since an "
                    + "identical variable already exists in this context", at: syntax.variableStart)
        }
        var inner = Checker(
            schema: schema, root: .objects(classIndex: classIndex), source: source,
            arguments: arguments, work: work, now: now)
        inner.outerStepCount = outerStepCount + resolver.steps.count
        inner.variables = variables + [(syntax.variable, classIndex)]
        inner.rule = rule
        let predicate = try inner.predicate(syntax.predicate)
        return ValuePath(
            root: root, steps: resolver.steps, terminal: .matchCount(predicate),
            type: .scalar(.int), firstMember: resolver.firstMember)
    }

    /// Returns the steps behind the variable of the subquery that a path stands in, if it begins with that.
    func withoutVariable(_ steps: [Syntax.Step]) throws(QueryError) -> [Syntax.Step] {
        guard let first = steps.first, case .name(let name) = first.kind, name.hasPrefix("$") else {
            return steps
        }
        if let own = variables.last, own.name.isSame(as: name) {
            guard steps.count > 1 else {
                throw source.fault(
                    .type,
                    "The variable '\(name)' stands for an object; name one of its properties, as "
                        + "in \(name).name.", at: first.start)
            }
            return Array(steps.dropFirst())
        }
        if variables.contains(where: { $0.name.isSame(as: name) }) {
            throw source.fault(
                .type,
                "The variable '\(name)' belongs to an outer subquery; here only "
                    + "'\(variables.last?.name ?? "")' can be used.", at: first.start,
                hint: variables.last?.name)
        }
        guard let own = variables.last else { return steps }
        throw source.fault(
            .unknownProperty,
            "There is no variable '\(name)' here; the subquery's is '\(own.name)'.",
            at: first.start, hint: own.name)
    }
}
