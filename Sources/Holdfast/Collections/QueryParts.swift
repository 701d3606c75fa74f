import HoldfastQuery

/// A condition of the query language: Foundation has a type of this name, too.
typealias Predicate = HoldfastQuery.Predicate

/// The condition and the order of results.
struct QueryParts: Equatable {
    var predicate: Predicate?
    var suffixes: [QuerySuffix] = []

    /// Adds a condition that has to hold as well.
    mutating func require(_ other: Predicate) {
        switch (predicate, other) {
        case (nil, _): predicate = other
        case (.and(let a)?, .and(let b)): predicate = .and(a + b)
        case (.and(let a)?, _): predicate = .and(a + [other])
        case (let a?, .and(let b)): predicate = .and([a] + b)
        case (let a?, _): predicate = .and([a, other])
        }
    }
}
