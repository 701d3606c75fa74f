import HoldfastObjectModel

/// A figure of a group that groups are chosen and ordered by: how many objects it has, or the result of an operation.
package struct GroupFigure: Hashable, Sendable {
    /// A result that is no value: a sum of ints that no int64 holds.
    package struct Overflow: Error {
        /// The operation as it is written.
        package let name: String
    }

    /// As it is written.
    let name: String
    /// Its position among ``Aggregation/Group/results``; nil for the number of objects.
    let resultIndex: Int?
    let type: ScalarType

    private init(_ operation: AggregateOperation, _ resultIndex: Int?) {
        name = operation.name
        self.resultIndex = resultIndex
        type = operation.kind.resultType
    }

    /// The figures that there are beside some operations.
    static func all(of operations: [AggregateOperation]) -> [GroupFigure] {
        let calculated = operations.filter { $0.kind != .count }
        return [GroupFigure(AggregateOperation(name: "count", kind: .count), nil)]
            + calculated.enumerated().map { GroupFigure($1, $0) }
    }

    /// Hands the stored value to `body`; null at nil.
    func withValue<Result>(
        of group: Aggregation.Group, _ body: (UnsafeRawPointer?, Int) -> Result
    ) throws(Overflow) -> Result {
        guard let resultIndex else {
            var count = Int64(group.count)
            return body(&count, 8)
        }
        switch group.results[resultIndex] {
        case .none: return body(nil, 0)
        case .stored(let bytes, _): return bytes.withUnsafeBytes { body($0.baseAddress, $0.count) }
        case .beyondInt: throw Overflow(name: name)
        }
    }
}
