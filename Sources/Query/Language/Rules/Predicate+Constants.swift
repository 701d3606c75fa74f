extension Predicate {
    /// The same condition without parts that are true or false for every object.
    package var simplified: Predicate {
        switch self {
        case .and(let parts):
            let left = parts.map(\.simplified).filter { $0 != .constant(true) }
            if left.contains(.constant(false)) { return .constant(false) }
            return left.count > 1 ? .and(left.flatMap(\.conjuncts)) : left.first ?? .constant(true)
        case .or(let parts): return .any(of: parts.map(\.simplified))
        case .not(let part):
            let inner = part.simplified
            if case .constant(let truth) = inner { return .constant(!truth) }
            return .not(inner)
        case .constant, .comparison, .within: return self
        }
    }

    /// The condition that holds where one of several does.
    ///
    /// - `parts`: Simplified ones.
    package static func any(of parts: [Predicate]) -> Predicate {
        var left: [Predicate] = []
        for part in parts.flatMap(\.disjuncts) where !left.contains(part) {
            if part == .constant(true) { return part }
            if part != .constant(false) { left.append(part) }
        }
        return left.count > 1 ? .or(left) : left.first ?? .constant(false)
    }

    /// The condition without its constant parts, be they true or false; nil where nothing is left.
    var withoutConstants: Predicate? {
        switch self {
        case .constant: return nil
        case .and(let parts):
            let left = parts.compactMap(\.withoutConstants)
            return left.count > 1 ? .and(left.flatMap(\.conjuncts)) : left.first
        case .or(let parts):
            let left = parts.compactMap(\.withoutConstants)
            return left.isEmpty ? nil : .any(of: left)
        case .not(let part): return part.withoutConstants.map { .not($0) }
        case .comparison, .within: return self
        }
    }
}
