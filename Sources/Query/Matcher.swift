import ObjectModel
import Rows

/// A predicate made ready for evaluation. One thread at a time uses it; making one costs microseconds.
///
/// A matcher that compares with objects (``isBoundToSnapshot``) has their keys of one snapshot: it is
/// bound again, or made again, for another.
package final class Matcher {
    private let node: MatchNode
    private let objects: [ObjectConstant]

    init(_ predicate: Predicate, schema: RowSchema, source: (any ObjectSource)?) {
        var builder = MatchNodeBuilder(schema: schema)
        node = builder.node(predicate)
        objects = builder.objects
        if let source { bind(to: source) }
    }

    /// Whether the predicate names objects, so that the matcher depends on the snapshot.
    package var isBoundToSnapshot: Bool { !objects.isEmpty }

    /// Looks the objects that the predicate names up in another snapshot. Cost: one look-up each.
    package func bind(to source: any ObjectSource) {
        for object in objects { object.bind(to: source) }
    }

    /// Whether an object satisfies the predicate.
    ///
    /// - Parameters:
    ///   - row: Its row, of the class the query was compiled for.
    ///   - key: Its object key.
    ///   - source: The snapshot it was read from, for the objects it links to.
    @inline(__always)
    package func matches(row: RowView, key: UInt64, source: any ObjectSource) -> Bool {
        node.matches(row, key, source)
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
    /// Makes a matcher for one thread.
    ///
    /// - Parameter source: The snapshot to look objects up in; without one, bind the matcher before
    ///   its first use (``Matcher/bind(to:)``).
    package func makeMatcher(_ schema: RowSchema, source: (any ObjectSource)? = nil) -> Matcher {
        Matcher(self, schema: schema, source: source)
    }
}
