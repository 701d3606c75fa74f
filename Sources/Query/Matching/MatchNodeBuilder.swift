import HoldfastObjectModel
import HoldfastRows

/// Chooses the node for each part of a predicate.
struct MatchNodeBuilder {
    private let schema: RowSchema
    var maker: ValueTestMaker
    /// The source that the matcher will be bound to.
    let bound = BoundSource()

    init(schema: RowSchema) {
        self.schema = schema
        maker = ValueTestMaker(schema: schema, bound)
    }

    mutating func node(_ predicate: Predicate) -> MatchNode {
        switch predicate {
        case .constant(let truth): return ChainNode([], isOr: !truth)
        case .not(let part): return NotNode(node(part))
        case .and(let parts): return ChainNode(parts.map { node($0) }, isOr: false)
        case .or(let parts):
            let merged = Self.mergingEqualities(parts)
            if merged.count == 1 { return node(merged[0]) }
            return ChainNode(merged.map { node($0) }, isOr: true)
        case .comparison(let comparison): return node(comparison)
        case .within(let condition): return node(condition)
        }
    }

    /// The terms that equalities have to share to be merged.
    private struct Compared: Hashable {
        var path: ValuePath
        var relation: Relation
    }

    /// Makes one `a IN {1, 2, …}` of all `a == 1`, `a == 2` and `a IN {…}` of an OR, and likewise of comparisons with
    /// `[c]` or `[d]`, so that a long chain costs one search instead of one comparison for each term. A few with
    /// `[c]`, which end at the first letter mostly, cost less than the search.
    static func mergingEqualities(_ parts: [Predicate]) -> [Predicate] {
        var terms: [Compared: [(part: Predicate, constants: [Value])]] = [:]
        var order: [Compared] = []
        var merged: [Predicate] = []
        for part in parts {
            guard case .comparison(let comparison) = part, comparison.comparison == .equal,
                let own = ComparedPath(comparison), !own.constantIsLeft, own.quantifier == nil,
                own.listQuantifier == nil || own.listQuantifier == .any, !own.path.isMany,
                // One with NaN in the condition of a subquery does not equal itself.
                own.path == own.path
            else {
                merged.append(part)
                continue
            }
            let compared = Compared(path: own.path, relation: own.relation)
            if terms[compared] == nil { order.append(compared) }
            terms[compared, default: []].append((part, own.constants))
        }
        for compared in order {
            let own = terms[compared] ?? []
            let relation = compared.relation
            if own.count < (relation.ignoresCase && !relation.ignoresAccents ? 4 : 2) {
                merged += own.map(\.part)
                continue
            }
            merged.append(
                .comparison(
                    Comparison(
                        .path(compared.path, nil), relation,
                        .constants(own.flatMap(\.constants), nil))))
        }
        return merged
    }

    private mutating func node(_ comparison: Comparison) -> MatchNode {
        let node = evaluatedNode(comparison)
        return comparison.sharedLink.map { SharedTargetNode($0, node, schema: schema) } ?? node
    }

    private mutating func evaluatedNode(_ comparison: Comparison) -> MatchNode {
        if let compared = ComparedPath(comparison) {
            let test = maker.test(compared)
            guard let list = test as? ListTest, list.tests.count > ListTest.fewCountMax,
                compared.path.type != .kinds, !comparison.comparison.isTextual
            else { return node(compared.path, compared.quantifier, test) }
        }
        return GeneralNode(
            side(comparison.left, beside: comparison.right), comparison.relation,
            side(comparison.right, beside: comparison.left),
            areKinds: comparison.left.pathType == .kinds || comparison.right.pathType == .kinds,
            bound)
    }

    private mutating func node(
        _ path: ValuePath, _ quantifier: Quantifier?, _ test: ValueTest
    ) -> MatchNode {
        switch path.terminal {
        case .subject: return SubjectNode(test)
        case .value(let member) where path.steps.isEmpty:
            return FieldNode(schema.classes[path.lastClass], member, test)
        case .value(let member):
            if let node = FollowNode(path, member: member, test, schema: schema) { return node }
        default: break
        }
        return PathNode(path, quantifier ?? .any, test, walker(path), bound)
    }

    /// Makes the walker of a path, with the condition of a SUBQUERY at its end.
    private mutating func walker(_ path: ValuePath) -> PathWalker {
        guard case .matchCount(let predicate) = path.terminal else {
            return PathWalker(path, schema: schema)
        }
        return PathWalker(path, schema: schema, inner: node(predicate))
    }

    /// Returns the number of the class that links lead to, where they stand beside `mixed` values.
    private func linkClass(_ path: ValuePath, _ other: ValueType?) -> UInt32? {
        guard other == .scalar(.mixed), case .link(let classIndex) = path.type else { return nil }
        return schema.classes[classIndex].number
    }

    private func node(_ condition: RegionCondition) -> MatchNode {
        let node = RegionNode(condition, schema: schema)
        guard condition.path.isMany, let link = condition.path.sharedLink else { return node }
        return SharedTargetNode(link, node, schema: schema)
    }

    private mutating func side(_ operand: Operand, beside other: Operand) -> ComparedSide {
        let isMixed = other.pathType == .scalar(.mixed)
        switch operand {
        case .path(let path, let quantifier):
            return ComparedSide(
                .path(walker(path)), isMany: path.isMany, quantifier, storage: path.type.storage,
                linkClass: linkClass(path, other.pathType))
        case .expression(let expression, let quantifier):
            let calculation = Calculation(expression) { walker($0) }
            return ComparedSide(.expression(calculation), isMany: expression.isMany, quantifier)
        case .constant(let value):
            let values = ConstantValues([value], isMixed: isMixed, &maker)
            return ComparedSide(.constants(values), isMany: false, nil)
        case .constants(let values, let quantifier):
            let values = ConstantValues(values, isMixed: isMixed, &maker)
            return ComparedSide(.constants(values), isMany: true, quantifier)
        }
    }
}

/// A comparison of values that all lie behind one to-one link, and take reading several objects or elements
/// to find: as `country.cities.@max.population > 1000000` asked of cities.
///
/// It says the same of all objects with the same target: see ``TargetMemory``.
final class SharedTargetNode: MatchNode {
    private let part: MatchNode
    private let memory: TargetMemory<Bool>

    /// - `link`: The to-one link that all paths of `part` begin with.
    init(_ link: PathStep, _ part: MatchNode, schema: RowSchema) {
        self.part = part
        memory = TargetMemory(link, schema: schema)
    }

    override var cost: Int { part.cost }

    override func matches(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Bool {
        memory.result(row, source) { part.matches(row, key, source) }
            ?? part.matches(row, key, source)
    }
}

extension Comparison {
    /// The link of the object that all paths of the comparison begin with, if following one of them from there
    /// takes reading several objects or elements.
    var sharedLink: PathStep? {
        var first: PathStep?
        var isShared = true
        var isExpensive = false
        for side in [left, right] {
            side.forEachPath { path in
                guard let step = path.sharedLink, first == nil || first == step else {
                    isShared = false
                    return
                }
                first = step
                isExpensive = isExpensive || path.isMany || path.readsSeveral
            }
        }
        return isShared && isExpensive ? first : nil
    }
}

extension ValuePath {
    /// The to-one link of the object that the path begins with.
    var sharedLink: PathStep? {
        guard case .objects = root, let step = steps.first, step.kind == .link else { return nil }
        return step
    }

    /// Whether it is one value that several objects or elements are read for.
    var readsSeveral: Bool {
        if crossesMany { return true }
        switch terminal {
        case .inverseCount, .incomingCount, .matchCount, .aggregate, .objectAggregate: return true
        default: return false
        }
    }
}
