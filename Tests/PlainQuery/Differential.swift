/// A random comparison of the store with something plain, of which a seed says all.
package protocol Differential {
    /// What was compared.
    associatedtype Counts: DifferentialCounts

    /// What was compared so far.
    var counts: Counts { get }
    /// The first difference, with all that is needed to see it; nil for none.
    var difference: String? { get }

    /// Makes a store and fills it.
    init(seed: UInt64) throws

    /// Ends the store.
    func close()
}

/// How much was compared.
package protocol DifferentialCounts {
    /// The queries.
    var queries: Int { get }

    /// Makes counts of nothing.
    init()

    /// Adds other counts.
    mutating func add(_ other: Self)
}
