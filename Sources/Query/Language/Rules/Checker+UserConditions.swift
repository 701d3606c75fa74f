import HoldfastObjectModel

/// Conditions on the user alone: `$user.verified == true`, `'editor' IN $user.groups`.
extension Checker {
    /// Refuses operations that can't have a user's value.
    func requirePlainUse(
        _ left: Side, _ relation: Relation, _ right: Side, at start: Int
    ) throws(QueryError) {
        guard left.hasUser || right.hasUser else { return }
        switch relation.comparison {
        case .matches, .text:
            throw source.fault(.type, "'$user' can't be part of \(relation.name).", at: start)
        case .like where right.hasUser:
            throw source.fault(
                .type,
                "A user's value can't be a pattern: LIKE takes a pattern that is written in the rule.",
                at: start, hint: "==")
        default: break
        }
        if left.isNull || right.isNull {
            throw source.fault(
                .type,
                "A rule never applies to users without the value that it names, so a comparison of that value with null has no effect.",
                at: start)
        }
    }

    /// Decides a comparison of a user's values with constants; nil where a path takes part. True while a rule is only checked.
    func userCondition(
        _ left: Side, _ relation: Relation, _ right: Side, at start: Int
    ) throws(QueryError) -> Predicate? {
        guard case .constants(let a, let leftQuantifier, _) = left,
            case .constants(let b, let rightQuantifier, _) = right,
            // A user's list may be empty; two constants of the text were refused when the rule was checked.
            left.hasUser || right.hasUser || rule?.facts != nil
        else { return nil }
        guard left.hasUser != right.hasUser || a.isEmpty || b.isEmpty else {
            throw source.fault(
                .type,
                "A user's value is compared with properties and constants, not with itself.",
                at: start)
        }
        let others = left.hasUser ? b : a
        if relation.comparison.isTextual || relation.folds,
            !others.allSatisfy({ $0.value.scalarType == .string })
        {
            throw source.fault(.type, "'\(relation.name)' compares texts.", at: start)
        }
        let relation = ValueRelation(relation)
        let quantifier = leftQuantifier ?? rightQuantifier ?? .any
        var outcomes: [Bool] = []
        for x in a {
            for y in b {
                let pair = try alike(x, y, at: start)
                outcomes.append(relation.holds(pair.0, pair.1))
            }
        }
        guard rule?.facts != nil else { return .constant(true) }
        return .constant(quantifier.holds(of: outcomes) { $0 })
    }

    /// Returns a user's value and a constant in one type.
    private func alike(_ a: Item, _ b: Item, at start: Int) throws(QueryError) -> (Value, Value) {
        if let origin = a.user { return try alike(a, origin, with: b, at: start) }
        guard let origin = b.user else { return (a.value, b.value) }
        let (own, other) = try alike(b, origin, with: a, at: start)
        return (other, own)
    }

    private func alike(
        _ item: Item, _ origin: UserOrigin, with constant: Item, at start: Int
    ) throws(QueryError) -> (own: Value, other: Value) {
        let type: ValueType
        var other = constant.value
        if case .object(let known) = origin, known != .scalar(.mixed) {
            type = known
            guard let value = try adapted(constant, to: known, isStrict: true) else {
                throw unsupportedComparison(known.name, Self.typeName(constant.value), at: start)
            }
            other = value
        } else if let scalar = other.scalarType {
            // Numbers of all types compare.
            type = Number(other) == nil ? .scalar(scalar) : .scalar(.double)
        } else {
            throw source.fault(
                .type, "A claim is compared with a value that is written in the rule.", at: start)
        }
        if Number(other) != nil, case .string = item.value, rule?.facts != nil {
            // A text is no number where the rule says nothing of a property's type.
            rule?.isLacking = true
        }
        return (try userValue(item, origin, as: type), other)
    }
}

extension Checker.Side {
    /// Whether it is a user's value.
    var hasUser: Bool {
        guard case .constants(let items, _, _) = self else { return false }
        return items.contains { $0.user != nil }
    }
}

extension ValueRelation {
    /// Whether it holds between two constants.
    fileprivate func holds(_ a: Value, _ b: Value) -> Bool {
        // Objects are told by their keys, which no stored value has.
        if case .link = a { return (a == b) == (comparison == .equal) }
        let (x, y) = (OwnedValue(a), OwnedValue(b))
        return withExtendedLifetime((x, y)) { holds(x.compared, y.compared) }
    }
}
