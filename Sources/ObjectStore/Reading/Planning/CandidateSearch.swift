import HoldfastQuery
import HoldfastRows

/// Finds the candidates of a predicate, by its form alone: nothing is read.
struct CandidateSearch {
    let schema: RowSchema
    let rowClass: RowClass

    /// The most parts of an OR that are looked up one by one.
    private static let partCountMax = 256
    /// The depth to which ANDs and ORs within each other are looked through.
    private static let depthMax = 8

    /// Finds the candidates that one index, or the primary key, serves.
    func own(_ constraints: [IndexConstraint]) -> [PlanCandidate] {
        constraints.compactMap { rowClass.isIndexed($0.member) ? PlanCandidate($0) : nil }
    }

    /// Finds the candidates that need more than one index or the objects of another class: links, and ORs that `served` does not
    /// cover.
    func further(_ conjuncts: [Predicate], beside served: [PlanCandidate], depth: Int = 0)
        -> [PlanCandidate]
    {
        guard depth < Self.depthMax else { return [] }
        let isSaid = PlanCandidate.areCovered(conjuncts, by: served)
        var found: [PlanCandidate] = []
        for (position, conjunct) in conjuncts.enumerated() where !isSaid[position] {
            func add(_ source: PlanSource, isExact: Bool) {
                found.append(PlanCandidate(source, of: position, in: conjuncts, isExact: isExact))
            }
            func add(_ constraint: LinkConstraint) {
                add(.links(constraint, far: nil), isExact: constraint.isExact)
            }
            switch conjunct {
            case .comparison(let comparison):
                if let words = words(comparison) { add(words.source, isExact: words.isExact) }
                if let constraint = comparison.linkConstraint(schema) { add(constraint) }
            case .within(let condition):
                // The cells hold points beside the region, so each object is tested.
                if let points = points(condition) { add(points, isExact: false) }
                if let constraint = condition.linkConstraint(schema) { add(constraint) }
            case .or(let parts):
                if let union = union(parts, depth: depth) {
                    add(.any(union.sources), isExact: union.isExact)
                }
            default: continue
            }
        }
        return found
    }

    /// Finds the full-text index that answers a comparison, and whether it answers all of it.
    private func words(_ comparison: Comparison) -> (source: PlanSource, isExact: Bool)? {
        guard !rowClass.searchIndexes.isEmpty, let constraint = comparison.wordConstraint else {
            return nil
        }
        let index = rowClass.searchIndexes.first {
            $0.kind == .fullText && $0.member == constraint.member
        }
        return index.map { (.words($0, constraint.search), constraint.isExact) }
    }

    /// Finds the geographic index that finds the points that a condition asks for, and some beside them.
    private func points(_ condition: RegionCondition) -> PlanSource? {
        guard let member = condition.path.ownMember else { return nil }
        let index = rowClass.searchIndexes.first { $0.kind == .geo && $0.member == member }
        return index.map { .points($0, condition.region) }
    }

    /// Finds a source for each part of an OR; nil if one part has no source.
    private func union(_ parts: [Predicate], depth: Int) -> (sources: [PlanSource], isExact: Bool)?
    {
        guard parts.count <= Self.partCountMax else { return nil }
        var sources: [PlanSource] = []
        var isExact = true
        for part in parts {
            let own = own(part.constraints)
            let candidates = own + further(part.conjuncts, beside: own, depth: depth + 1)
            guard let best = candidates.min(by: { rank($0.source) < rank($1.source) }) else {
                return nil
            }
            sources.append(best.source)
            isExact = isExact && best.isExact
        }
        return (sources, isExact)
    }

    /// Ranks a source by its promise: the primary key before others, values before ranges.
    private func rank(_ source: PlanSource) -> Int {
        switch source {
        case .index(let member, _):
            source.holdsSingleValues ? member == rowClass.primaryKeyIndex ? 0 : 1 : 3
        case .words: 2
        case .points: 3
        case .links(let constraint, _):
            if case .objects = constraint.far { 2 } else { 4 }
        case .all, .any, .unrestricted: 5
        }
    }
}
