import HoldfastObjectModel
import HoldfastTestSupport

/// Makes random queries that the language allows on the objects of a world.
struct PlainQueryMaker {
    let world: PlainWorld
    var random: SeededGenerator
    /// How many subqueries there are around.
    var subqueryDepth = 0

    init(_ world: PlainWorld, seed: UInt64) {
        self.world = world
        random = SeededGenerator(seed: seed)
    }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    mutating func pick<T>(_ values: [T]) -> T {
        values[Int.random(in: values.indices, using: &random)]
    }

    /// A query.
    mutating func make() -> PlainQuery {
        let className = pick(["A", "A", "A", "B", "C"])
        let depth = pick([0, 0, 1, 1, 2])
        var query = PlainQuery(className: className, predicate: predicate(className, depth))
        if chance(40) {
            for _ in 0..<pick([1, 1, 2, 3]) {
                guard let suffix = suffix(className) else { continue }
                query.suffixes.append(suffix)
            }
        }
        return query
    }

    /// A condition on objects of a class.
    mutating func predicate(_ className: String, _ depth: Int) -> PlainPredicate {
        guard depth > 0 else { return comparison(className) }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .not(predicate(className, depth - 1))
        case 1...3:
            return .and((0..<pick([2, 2, 3])).map { _ in predicate(className, depth - 1) })
        case 4...6:
            return .or((0..<pick([2, 2, 3])).map { _ in predicate(className, depth - 1) })
        default: return comparison(className)
        }
    }

    private mutating func suffix(_ className: String) -> PlainQuery.Suffix? {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .limit(Int.random(in: 0...12, using: &random))
        case 1:
            let paths = (0..<pick([1, 1, 2])).compactMap { _ in
                sortPath(className, allowsLinks: true)
            }
            return paths.isEmpty ? nil : .distinct(paths)
        default:
            let paths = (0..<pick([1, 1, 2, 3])).compactMap { _ in
                sortPath(className, allowsLinks: false)
            }
            return paths.isEmpty
                ? nil : .sort(paths.map { (path: $0, isAscending: Bool.random(using: &random)) })
        }
    }

    /// A path to one value that can be ordered.
    private mutating func sortPath(_ className: String, allowsLinks: Bool) -> PlainPath? {
        for _ in 0..<20 {
            guard let path = path(className), !world.isMany(path) else { continue }
            if case .matchCount = path.end { continue }
            switch path.type {
            case .scalar: return path
            case .link where allowsLinks: return path
            default: continue
            }
        }
        return nil
    }
}
