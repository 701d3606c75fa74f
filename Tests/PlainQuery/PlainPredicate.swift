import HoldfastObjectModel

/// A condition.
indirect enum PlainPredicate {
    case constant(Bool)
    case not(PlainPredicate)
    case and([PlainPredicate])
    case or([PlainPredicate])
    case comparison(PlainSide, PlainOperator, PlainSide)
    /// Both bounds included.
    case between(PlainSide, PlainConstant, PlainConstant, isArgument: Bool)
    /// Whether the points that hops lead to lie in a region; the hops begin in a class.
    case within(String, [PlainPath.Hop], PlainQuantifier?, PlainRegion)
}

extension PlainPredicate {
    /// Whether it asks for an order of objects, which have none.
    var ordersObjects: Bool {
        func isObject(_ constant: PlainConstant) -> Bool {
            if case .object = constant.kind { true } else { false }
        }
        func hasObject(_ side: PlainSide) -> Bool {
            switch side {
            case .constant(let constant): isObject(constant)
            case .list(let constants, _, _): constants.contains(where: isObject)
            case .path, .operation: false
            }
        }
        return switch self {
        case .comparison(let left, let relation, let right):
            [.less, .lessEqual, .greater, .greaterEqual].contains(relation.name)
                && (hasObject(left) || hasObject(right))
        case .between(_, let least, let greatest, _): isObject(least) || isObject(greatest)
        default: false
        }
    }
}

extension PlainWorld {
    /// Whether an object satisfies a condition.
    func holds(_ predicate: PlainPredicate, for object: PlainObject) -> Bool {
        switch predicate {
        case .constant(let truth): return truth
        case .not(let part): return !holds(part, for: object)
        case .and(let parts): return parts.allSatisfy { holds($0, for: object) }
        case .or(let parts): return parts.contains { holds($0, for: object) }
        case .comparison(let left, let relation, let right):
            return holds(left, relation, right, for: object)
        case .between(let side, let least, let greatest, _):
            return holds(side, PlainOperator(name: .greaterEqual), .constant(least), for: object)
                && holds(side, PlainOperator(name: .lessEqual), .constant(greatest), for: object)
        case .within(_, let hops, let quantifier, let region):
            let found = follow(hops, from: object).compactMap { $0 }
            return PlainQuantifier.holds(quantifier, found) { region.contains(found[$0]) }
        }
    }

    private func holds(
        _ left: PlainSide, _ relation: PlainOperator, _ right: PlainSide, for object: PlainObject
    ) -> Bool {
        let a = read(left, beside: right.type, for: object)
        let b = read(right, beside: left.type, for: object)
        let isMixed = left.isMixed || right.isMixed
        let areKinds = left.type == .kinds || right.type == .kinds
        func holds(_ x: Value, _ y: Value) -> Bool {
            if areKinds {
                guard case .int(let own) = x, case .int(let other) = y else { return false }
                return (own & other != 0) == (relation.name != .notEqual)
            }
            // A null that stands in the query contains nothing.
            if left.isConstant, x == .null,
                [.contains, .beginsWith, .endsWith].contains(relation.name)
            {
                return false
            }
            return PlainComparison.holds(x, relation, y, isMixed: isMixed)
        }
        let isOrdered =
            a.isMany && b.isMany && left.quantifier == nil && right.quantifier == nil
        return a.groups.contains { x in
            b.groups.contains { y in
                if isOrdered {
                    guard x.count == y.count else { return relation.name == .notEqual }
                    return zip(x, y).allSatisfy { holds($0, $1) }
                }
                return PlainQuantifier.holds(left.quantifier, x) { place in
                    PlainQuantifier.holds(right.quantifier, y) { holds(x[place], y[$0]) }
                }
            }
        }
    }
}
