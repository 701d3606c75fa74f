import Query
import Rows

/// One way to find the objects of a query by their keys, and which of its conditions that settles.
struct PlanCandidate {
    /// Where the object keys come from.
    var source: PlanSource
    /// The positions of the conjuncts that all found objects satisfy.
    var covered: [Int]
    /// What an object has to satisfy to be found, or little more.
    var condition: Predicate

    /// What the objects of some candidates together still have to be tested for.
    static func residual(
        _ conjuncts: [Predicate], coveredBy candidates: [PlanCandidate]
    ) -> Predicate? {
        var isCovered = [Bool](repeating: false, count: conjuncts.count)
        for candidate in candidates {
            for place in candidate.covered { isCovered[place] = true }
        }
        return Predicate.conjunction(
            conjuncts.indices.filter { !isCovered[$0] }.map { conjuncts[$0] })
    }
}

/// Finds the candidates of a predicate, by its form alone: nothing is read.
struct CandidateSearch {
    let schema: RowSchema
    let rowClass: RowClass

    /// The most parts of an OR that are looked up one by one.
    private static let partCountMax = 256
    /// How deep ANDs and ORs within each other are looked through.
    private static let depthMax = 8

    /// Whether a property has an index, or is the primary key.
    func isIndexed(_ member: Int) -> Bool { rowClass.isIndexed(member) }

    /// A constraint as a source of keys.
    func source(_ constraint: IndexConstraint) -> PlanSource {
        constraint.member == rowClass.primaryKeyIndex
            ? .primaryKey(ranges: constraint.ranges)
            : .index(member: constraint.member, ranges: constraint.ranges)
    }

    /// A constraint as the access of a plan.
    func access(_ constraint: IndexConstraint) -> Plan.Access {
        constraint.member == rowClass.primaryKeyIndex
            ? .primaryKey(ranges: constraint.ranges)
            : .index(member: constraint.member, ranges: constraint.ranges)
    }

    /// The constraints that an index or the primary key serves.
    func constraints(_ predicate: Predicate) -> [IndexConstraint] {
        predicate.constraints(schema).filter { isIndexed($0.member) }
    }

    /// The candidates that need more than one index or the objects of another class: links and ORs of
    /// what `served` doesn't say already.
    func further(_ predicate: Predicate, beside served: [IndexConstraint], depth: Int = 0)
        -> [PlanCandidate]
    {
        guard depth < Self.depthMax else { return [] }
        let conjuncts = predicate.conjuncts
        var isSaid = [Bool](repeating: false, count: conjuncts.count)
        for constraint in served {
            for place in constraint.covered { isSaid[place] = true }
        }
        var found: [PlanCandidate] = []
        for (place, conjunct) in conjuncts.enumerated() where !isSaid[place] {
            switch conjunct {
            case .comparison(let comparison):
                if let words = words(comparison) {
                    found.append(
                        PlanCandidate(
                            source: words.source, covered: words.isExact ? [place] : [],
                            condition: conjunct))
                }
                if let constraint = comparison.linkConstraint(schema) {
                    found.append(links(constraint, of: place, conjunct))
                }
            case .within(let condition):
                // The cells hold points beside the region, so each object is tested.
                if let points = points(condition) {
                    found.append(
                        PlanCandidate(source: points, covered: [], condition: conjunct))
                }
                if let constraint = condition.linkConstraint(schema) {
                    found.append(links(constraint, of: place, conjunct))
                }
            case .or(let parts):
                if let union = union(parts, depth: depth) {
                    found.append(
                        PlanCandidate(
                            source: .any(union.sources), covered: union.isExact ? [place] : [],
                            condition: conjunct)
                    )
                }
            default: continue
            }
        }
        return found
    }

    /// The candidate of what the conjunct at `place` demands of objects behind links.
    private func links(
        _ constraint: LinkConstraint, of place: Int, _ conjunct: Predicate
    ) -> PlanCandidate {
        PlanCandidate(
            source: .links(constraint, far: nil), covered: constraint.isExact ? [place] : [],
            condition: conjunct)
    }

    /// The candidate that one index, or the primary key, is for some of a predicate's conjuncts.
    func candidate(_ constraint: IndexConstraint, _ conjuncts: [Predicate]) -> PlanCandidate {
        PlanCandidate(
            source: source(constraint), covered: constraint.covered,
            condition: Predicate.conjunction(constraint.covered.map { conjuncts[$0] })
                ?? .constant(true))
    }

    /// The full-text index that finds what a comparison asks for, and whether it says everything.
    private func words(_ comparison: Comparison) -> (source: PlanSource, isExact: Bool)? {
        guard !rowClass.searchIndexes.isEmpty, let constraint = comparison.wordConstraint else {
            return nil
        }
        let index = rowClass.searchIndexes.first {
            $0.kind == .fullText && $0.member == constraint.member
        }
        return index.map { (.words($0, constraint.search), constraint.isExact) }
    }

    /// The geographic index that finds the points that a condition asks for, and some beside them.
    private func points(_ condition: RegionCondition) -> PlanSource? {
        guard let member = condition.ownMember else { return nil }
        let index = rowClass.searchIndexes.first { $0.kind == .geo && $0.member == member }
        return index.map { .points($0, condition.region) }
    }

    /// A source for each part of an OR; nil when one has none.
    private func union(_ parts: [Predicate], depth: Int) -> (sources: [PlanSource], isExact: Bool)?
    {
        guard parts.count <= Self.partCountMax else { return nil }
        var sources: [PlanSource] = []
        var isExact = true
        for part in parts {
            let own = constraints(part)
            let candidates =
                own.map { candidate($0, part.conjuncts) }
                + further(part, beside: own, depth: depth + 1)
            guard let best = candidates.min(by: { rank($0.source) < rank($1.source) }) else {
                return nil
            }
            sources.append(best.source)
            isExact = isExact && best.covered.count == part.conjuncts.count
        }
        return (sources, isExact)
    }

    /// How promising a source looks: the primary key before others, values before ranges.
    private func rank(_ source: PlanSource) -> Int {
        switch source {
        case .primaryKey: source.holdsSingleValues ? 0 : 3
        case .index: source.holdsSingleValues ? 1 : 3
        case .words: 2
        case .points: 3
        case .links(let constraint, _):
            if case .objects = constraint.far { 2 } else { 4 }
        case .all, .any: 5
        }
    }
}

extension RowClass {
    /// Whether a property has an index, or is the primary key.
    func isIndexed(_ member: Int) -> Bool {
        member == primaryKeyIndex || indexedMembers.contains(member)
    }
}
