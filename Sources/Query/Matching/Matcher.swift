import ObjectModel
import Rows

/// A predicate made ready for evaluation. One thread at a time uses it; making one costs microseconds.
package final class Matcher {
    private let node: MatchNode
    private let objects: [ObjectConstant]
    private let namesObjects: Bool
    /// The snapshot whose keys ``objects`` have.
    private let bound: BoundSource
    private let watch: PatternWatch?

    init(_ predicate: Predicate, schema: RowSchema) {
        var builder = MatchNodeBuilder(schema: schema)
        node = builder.node(predicate)
        objects = builder.maker.objects
        bound = builder.bound
        watch = builder.maker.watch
        namesObjects = !objects.isEmpty
    }

    /// Looks up the objects that the predicate names. Cost: one look-up each.
    ///
    /// A matcher does so by itself when it meets another source. A source that changes, as that of a write
    /// transaction does, needs a matcher of its own for each state.
    fileprivate func bind(to source: any ObjectSource) {
        bound.source = source
        for object in objects { object.bind(to: source) }
    }

    /// Bounds the time of regular expressions, which else have a bound for each value only.
    ///
    /// - `deadline`: In milliseconds of the monotonic clock.
    package func limit(until deadline: UInt64) { watch?.deadlineMilliseconds = deadline }

    /// Why the evaluation was given up: what was found since then is not to be used. To be asked for at
    /// the end of a query.
    package var failure: EvaluationFailure? { watch?.failure }

    /// Whether an object satisfies the predicate.
    ///
    /// `row` is of the class the query was compiled for, `key` its object key, and `source` the
    /// snapshot that it was read from, for the objects it links to. Cost: some 6 ns for an int and
    /// 8 ns for the equality of short strings, when the row is in the cache.
    package func matches(row: RowView, key: UInt64, source: any ObjectSource) -> Bool {
        if namesObjects, bound.source !== source { bind(to: source) }
        return node.matches(row, key, source)
    }

    /// Whether a value satisfies the predicate of a query on values; nil for null.
    package func matches(value: UnsafeRawBufferPointer?) -> Bool {
        guard let value else { return node.matches(value: nil, 0) }
        return withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { empty in
            let start = value.baseAddress ?? UnsafeRawBufferPointer(empty).baseAddress
            return node.matches(value: start, value.count)
        }
    }
}

extension Predicate {
    /// Makes a matcher for one thread, with the objects that the predicate names looked up in `source`
    /// already, if there is one.
    ///
    /// - `deadline`: As of ``Matcher/limit(until:)``.
    package func makeMatcher(
        _ schema: RowSchema, source: (any ObjectSource)? = nil, until deadline: UInt64 = .max
    ) -> Matcher {
        let matcher = Matcher(self, schema: schema)
        matcher.limit(until: deadline)
        if let source { matcher.bind(to: source) }
        return matcher
    }
}
