import HoldfastRows

/// A predicate made ready for evaluation. One thread at a time uses it; making one costs microseconds.
package final class Matcher {
    private let node: MatchNode
    private let objects: [ObjectConstant]
    /// The snapshot of the keys in ``objects``.
    private let bound: BoundSource
    /// The steps that each evaluation spends, beside the steps of its loops.
    private let stepCount: Int

    /// Parts of a predicate that one step covers.
    private static let costOfStep = 256

    init(_ predicate: Predicate, schema: RowSchema) {
        var builder = MatchNodeBuilder(schema: schema)
        node = builder.node(predicate)
        objects = builder.maker.objects
        bound = builder.bound
        stepCount = node.cost / Self.costOfStep
    }

    /// Whether it may be bound to a state of a source after another one: it names no objects.
    package var isOfAnyState: Bool { objects.isEmpty }

    /// Looks up the objects that the predicate names, and spends of the source's budget from then on. Cost: one look-up each.
    ///
    /// A matcher does so by itself when it meets another source. A source that changes, as that of a write
    /// transaction does, needs a matcher of its own for each state.
    package func bind(to source: any ObjectSource) {
        bound.source = source
        bound.budget = source.budget
        for object in objects where source.budget.spend(ObjectConstant.stepsOfLookUp) {
            object.bind(to: source)
        }
    }

    /// Makes evaluations spend a budget. After its failure, later results must not be used. A
    /// matcher that is made with a source spends the source's budget.
    package func limit(by budget: Budget) { bound.budget = budget }

    /// Whether an object satisfies the predicate.
    ///
    /// `row` is of the class the query was compiled for, `key` its object key, and `source` the
    /// snapshot that it was read from, for the objects it links to. Cost: some 6 ns for an int and
    /// 8 ns for the equality of short strings, when the row is in the cache.
    package func matches(row: RowView, key: UInt64, source: any ObjectSource) -> Bool {
        if !objects.isEmpty, bound.source !== source { bind(to: source) }
        if stepCount > 0, !bound.budget.spend(stepCount) { return false }
        return node.matches(row, key, source)
    }

    /// Whether a value satisfies the predicate of a query on values; nil for null.
    package func matches(value: UnsafeRawBufferPointer?) -> Bool {
        guard bound.budget.spend(1 + stepCount) else { return false }
        guard let value else { return node.matches(value: nil, 0) }
        return withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { empty in
            let start = value.baseAddress ?? UnsafeRawBufferPointer(empty).baseAddress
            return node.matches(value: start, value.count)
        }
    }
}

extension Predicate {
    /// Makes a matcher for one thread, with the objects that the predicate names looked up in `source` already, if there is one.
    ///
    /// It spends of the source's budget, see ``Matcher/limit(by:)``.
    package func makeMatcher(_ schema: RowSchema, source: (any ObjectSource)? = nil) -> Matcher {
        let matcher = Matcher(self, schema: schema)
        if let source { matcher.bind(to: source) }
        return matcher
    }
}

/// The source and the budget of all parts of a matcher. One thread at a time uses it, that of the matcher.
final class BoundSource {
    /// The source in which a matcher of values finds the objects that links within them lead to.
    ///
    /// Weak, so that neither is a snapshot kept nor another one at the same address taken for it.
    weak var source: (any ObjectSource)?
    var budget = Budget()
}
