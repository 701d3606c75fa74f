import HoldfastRows

extension Predicate {
    /// The comparisons that read a property behind some steps, as conditions on the objects that the steps lead to; nil where one of them asks
    /// for more than each such object by itself.
    ///
    /// As long as the outcome of none of them changes for an object, a change of its property changes nothing that the predicate finds
    /// through it.
    ///
    /// - Parameters:
    ///   - member: The property, by position in the class that the steps lead to.
    ///   - steps: Steps along links; none for the objects of the predicate themselves.
    ///   - schema: The schema of the predicate.
    /// - Returns: Each comparison that reads the property, from where the steps lead to on.
    package func conditions(
        reading member: Int, behind steps: [PathStep], _ schema: RowSchema
    ) -> [Predicate]? {
        switch self {
        case .constant: return []
        case .not(let part): return part.conditions(reading: member, behind: steps, schema)
        case .and(let parts), .or(let parts):
            let found = parts.compactMap { $0.conditions(reading: member, behind: steps, schema) }
            return found.count == parts.count ? found.flatMap { $0 } : nil
        case .comparison, .within:
            let reads = dependencies(schema).contains { $0.member == member && $0.path == steps }
            if !reads { return [] }
            if steps.isEmpty { return [self] }
            guard case .comparison(let comparison) = self else { return nil }
            return comparison.behind(steps).map { [.comparison($0)] }
        }
    }
}

extension Comparison {
    /// The comparison of the rest of its path behind some steps, where it compares that with constants, object by object.
    fileprivate func behind(_ steps: [PathStep]) -> Comparison? {
        guard let compared = ComparedPath(self), case .objects = compared.path.root,
            compared.path.steps.starts(with: steps)
        else { return nil }
        // What several objects have in common is none of each.
        if steps.contains(where: \.isMany),
            !compared.path.isOfEach(behind: steps.count)
                || compared.listQuantifier != nil && compared.constants.count > 1
        {
            return nil
        }
        return compared.behind(steps.count)
    }
}

extension ValuePath {
    /// Whether each object behind some steps has a value at the end of the path, if only null, or the values of a collection. Behind a
    /// link of its own, or at a place in a collection, it may have none among those of others, and null by itself; a figure is of all.
    fileprivate func isOfEach(behind stepCount: Int) -> Bool {
        guard steps.count == stepCount else { return false }
        switch terminal {
        case .value, .elements: return true
        default: return false
        }
    }
}
